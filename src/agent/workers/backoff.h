#pragma once

#include <algorithm>

#include "core/units/duration.h"

namespace jettison {

// How long to wait before something that keeps ending is started again.
struct BackoffRule {
  bool first_at_once = false;  // the first return waits for nothing
  Duration initial = std::chrono::seconds(10);
  Duration max = std::chrono::minutes(5);
  Duration reset_after = std::chrono::minutes(10);  // a run this long begins anew
};

// A container's restarts: at once after the first end, then 10 s doubling to 5 min. (kubelet:
// doBackOff, MaxContainerBackOff; an entry expires after twice the maximum)
inline constexpr BackoffRule kRestartRule = {.first_at_once = true};
// An evicted pod's return: 10 s after the first eviction, doubling to 5 min.
inline constexpr BackoffRule kComeBackRule = {};
// Another try at a pod whose groups or volumes could not be made.
inline constexpr BackoffRule kCreateRule = {};

// One thing's delays under a rule.
class Backoff {
 public:
  explicit Backoff(const BackoffRule& rule) : rule_(rule) { Reset(); }

  // When the next start is due after a run from `started` to `finished`; lengthens the delay after
  // that one.
  [[nodiscard]] Instant NextStart(Instant started, Instant finished) {
    if (finished - started >= rule_.reset_after) Reset();
    const Instant due = finished + delay_;
    delay_ = delay_ == Duration::zero() ? rule_.initial : std::min(2 * delay_, rule_.max);
    return due;
  }

  // What NextStart adds to the end of a run that is not long enough to begin anew.
  [[nodiscard]] Duration next_delay() const { return delay_; }
  // No delay has been taken yet, or it has begun anew.
  [[nodiscard]] bool IsFresh() const { return delay_ == First(); }
  // Goes on with a delay of an earlier agent's, within the rule.
  void Resume(Duration next_delay) {
    delay_ = std::clamp(next_delay, First(), std::max(First(), rule_.max));
  }
  [[nodiscard]] const BackoffRule& rule() const { return rule_; }

 private:
  [[nodiscard]] Duration First() const {
    return rule_.first_at_once ? Duration::zero() : rule_.initial;
  }
  void Reset() { delay_ = First(); }

  BackoffRule rule_;
  Duration delay_{0};
};

}  // namespace jettison
