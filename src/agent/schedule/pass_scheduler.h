#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// Says when the next full pass begins: at once after the start, then one interval after the last
// scheduled one ended, or sooner if it was requested. A full pass begins with measuring disk use,
// which takes its time, so it has a beginning and an end. The kubelet would make a scheduled pass,
// too, but not a requested one.
class PassScheduler {
 public:
  PassScheduler(Duration interval, Instant first) : interval_(interval), scheduled_(first) {}

  // Whether a full pass should begin now; true once, until Done.
  [[nodiscard]] bool Begin(Instant now) {
    if (measuring_ || now < *NextDeadline()) return false;
    measuring_ = true;
    is_scheduled_ = false;
    requested_.reset();
    (void)IsScheduled(now);
    return true;
  }
  // Whether the pass that has begun is a scheduled one, or one has become due meanwhile.
  [[nodiscard]] bool IsScheduled(Instant now) {
    if (!scheduled_ || now < *scheduled_) return is_scheduled_;
    scheduled_.reset();
    return is_scheduled_ = true;
  }
  // The pass that had begun is over, or will not happen.
  void Done(Instant now) {
    measuring_ = false;
    if (is_scheduled_) Schedule(now + interval_);
  }
  // The pass that had begun has decided nothing, and begins again then.
  void PutOff(Instant at) {
    measuring_ = false;
    is_scheduled_ ? Schedule(at) : Request(at);
  }
  // A full pass is wanted at `at` or sooner; one that is being measured already does not count.
  void Request(Instant at) { requested_ = std::min(requested_.value_or(at), at); }
  // The same, because the kubelet would make a pass then.
  void Schedule(Instant at) { scheduled_ = std::min(scheduled_.value_or(at), at); }
  [[nodiscard]] bool measuring() const { return measuring_; }
  // When Begin will next be true; absent while a pass is being measured.
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    if (measuring_) return std::nullopt;
    return std::min(*scheduled_, requested_.value_or(*scheduled_));
  }
  // The next scheduled pass; absent while it is being measured.
  [[nodiscard]] std::optional<Instant> NextScheduled() const { return scheduled_; }

 private:
  Duration interval_;
  std::optional<Instant> scheduled_;  // absent only while a scheduled pass is being measured
  std::optional<Instant> requested_;
  bool measuring_ = false;
  bool is_scheduled_ = false;  // the pass that has begun
};

}  // namespace jettison
