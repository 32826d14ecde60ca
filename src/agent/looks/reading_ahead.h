#pragma once

#include <optional>
#include <span>

#include "agent/looks/memory_looks.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// When pods are read ahead, because a threshold may be crossed soon.
class ReadingAhead {
 public:
  // Whether some are to be read now, by when the next look and the next scheduled watch pass are
  // due and how fast memory runs short.
  [[nodiscard]] bool IsDue(const MemoryLooks& looks, std::optional<Instant> watch_due,
                           std::span<const Threshold> thresholds, Instant now);
  // Some have been read; `all`: by now all of them.
  void Done(bool all, Instant now);
  // Nobody is read until IsDue says so.
  void Stop() { due_.reset(); }
  // When some are to be read again; absent: no threshold is near.
  [[nodiscard]] std::optional<Instant> due() const { return due_; }

 private:
  Duration rest_{};     // when all have been read
  Duration between_{};  // while others are to be read
  std::optional<Instant> due_;
};

}  // namespace jettison
