#pragma once

#include <cstdint>
#include <optional>

#include "sim/frames/frame.h"

namespace jettison {

// What lies between two frames that follow each other: on straight lines.
class Segment {
 public:
  Segment(const Frame& from, const Frame& to) : from_(from), to_(to) {}

  [[nodiscard]] const Frame& from() const { return from_; }
  [[nodiscard]] const Frame& to() const { return to_; }
  [[nodiscard]] Duration length() const { return Elapsed(from_.at, to_.at); }

  // What is available of a signal; absent where it was not observed at the end.
  [[nodiscard]] std::optional<double> AvailableAt(Signal signal, Instant at) const;
  // What the pod held; 0 where it was not active.
  [[nodiscard]] double MemoryAt(PodSlot slot, Instant at) const;
  // All signals; those of which only one end is known have its figure.
  [[nodiscard]] Observations SeenAt(Instant at) const;

 private:
  [[nodiscard]] double ShareAt(Instant at) const;

  const Frame& from_;
  const Frame& to_;
};

// A pod's memory in a frame; absent where it was not active.
[[nodiscard]] std::optional<std::int64_t> MemoryIn(const Frame& frame, PodSlot slot);

}  // namespace jettison
