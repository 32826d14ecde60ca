#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// When the node's own figures are evaluated while a walk through pods' files delays the full pass:
// at each interval, and when the grace period of a threshold ends.
class WalkEvaluations {
 public:
  explicit WalkEvaluations(Duration interval) : interval_(interval) {}

  // They have just been evaluated.
  void Done(Instant now) { next_ = now + interval_; }
  // The next evaluation is due then.
  void Hurry(Instant at) { next_ = at; }
  // The next end of a grace period; absent: none is running.
  void SetGraceEnd(std::optional<Instant> end) { grace_end_ = end; }
  // Whether an evaluation is due by now. True until Take.
  [[nodiscard]] bool Begin(Instant now) {
    const bool grace_is_over = grace_end_ && *grace_end_ <= now;
    if (next_ > now && !grace_is_over) return false;
    grace_end_.reset();
    next_ = now;
    return true;
  }
  // The next one by the clock where it is still to come; absent: the present one is it.
  [[nodiscard]] std::optional<Instant> Take(Instant now) {
    if (now < next_) return next_;
    Done(now);
    return std::nullopt;
  }
  [[nodiscard]] Instant NextDeadline() const {
    return grace_end_ ? std::min(next_, *grace_end_) : next_;
  }

 private:
  Duration interval_;
  Instant next_;
  std::optional<Instant> grace_end_;
};

}  // namespace jettison
