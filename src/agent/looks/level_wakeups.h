#pragma once

#include <optional>

#include "core/units/duration.h"

namespace jettison {

// Limits the watch passes after kernel wake-ups at memory levels. A level that jitter crosses again
// and again must not use up the processor. Just before a threshold, the node is looked at often,
// because the kernel may report late, but only for a short time, because usage may stay there for
// long.
class LevelWakeups {
 public:
  // The kernel has reported a crossing. Returns when a watch pass may follow; absent: at once.
  [[nodiscard]] std::optional<Instant> Told(Instant now) {
    if (now >= near_until_ + kNearRest) near_until_ = now + kNearTime;
    return now < not_before_ ? std::optional(not_before_) : std::nullopt;
  }
  // A watch pass was begun.
  void Passed(Instant now) { not_before_ = now + kPassSpacing; }
  // Whether usage is, or was a moment ago, just before a threshold.
  [[nodiscard]] bool IsNear(Instant now) const { return now < near_until_; }
  // When the next watch pass is due while usage is just before a threshold; absent: the agent
  // relies on the kernel.
  [[nodiscard]] std::optional<Instant> NextNear(Instant now) const {
    return IsNear(now) ? std::optional(now + kNearSpacing) : std::nullopt;
  }

 private:
  static constexpr Duration kPassSpacing = std::chrono::milliseconds(1);
  static constexpr Duration kNearSpacing = std::chrono::microseconds(250);
  static constexpr Duration kNearTime = std::chrono::milliseconds(30);
  static constexpr Duration kNearRest = std::chrono::milliseconds(300);

  Instant not_before_;
  Instant near_until_;
};

}  // namespace jettison
