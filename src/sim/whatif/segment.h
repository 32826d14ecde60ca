#pragma once

#include <cstdint>
#include <optional>

#include "sim/whatif/frame.h"

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

// The frame that lies between two others because less was available in between than at both, or
// because pods held more; absent: there is no sign of that. When it was is not known. Pods that
// were evicted since hold what they held at the most, and the node has what is left then.
[[nodiscard]] std::optional<Frame> LowBetween(const Frame& from, const Frame& to);

}  // namespace jettison
