#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// Says when the next full pass begins: at once after the start, then one interval after the last
// one ended, or sooner if it was requested. A full pass begins with measuring disk use, which
// takes its time, so it has a beginning and an end.
class PassScheduler {
 public:
  PassScheduler(Duration interval, Instant first) : interval_(interval), next_(first) {}

  // Whether a full pass should begin now; true once, until Done.
  [[nodiscard]] bool Begin(Instant now) {
    if (measuring_ || now < next_) return false;
    measuring_ = true;
    again_at_.reset();
    return true;
  }
  // The pass that had begun is over, or will not happen.
  void Done(Instant now) {
    measuring_ = false;
    next_ = now + interval_;
    if (again_at_) next_ = std::min(next_, *again_at_);
    again_at_.reset();
  }
  // A full pass is wanted at `at` or sooner; one that is being measured already does not count.
  void Request(Instant at) {
    if (measuring_) {
      again_at_ = again_at_ ? std::min(*again_at_, at) : at;
    } else {
      next_ = std::min(next_, at);
    }
  }
  [[nodiscard]] bool measuring() const { return measuring_; }
  // When Begin will next be true; absent while a pass is being measured.
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return measuring_ ? std::nullopt : std::optional(next_);
  }

 private:
  Duration interval_;
  Instant next_;
  bool measuring_ = false;
  std::optional<Instant> again_at_;
};

}  // namespace jettison
