#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// Says when the next full pass begins: at once after the start, then every interval, or sooner if
// it was requested. A full pass begins with measuring disk use, which takes its time, so it has a
// beginning and an end. The kubelet would make a scheduled pass, too, but not a requested one.
class PassScheduler {
 public:
  PassScheduler(Duration interval, Instant first) : interval_(interval), scheduled_(first) {}

  // Whether a full pass should begin now; true once, until Done.
  [[nodiscard]] bool Begin(Instant now) {
    if (measuring_ || now < NextDeadline()) return false;
    measuring_ = true;
    is_scheduled_ = false;
    requested_.reset();
    (void)TakeTurn(now);
    return true;
  }
  // Whether a scheduled pass has become due, once: the one that has begun is it.
  [[nodiscard]] bool TakeTurn(Instant now) {
    if (now < scheduled_) return false;
    scheduled_ = now + interval_;
    return is_scheduled_ = true;
  }
  // The pass that had begun is over, or will not happen.
  void Done() { measuring_ = false; }
  // The pass that had begun has decided nothing, and begins again then.
  void PutOff(Instant at) {
    measuring_ = false;
    is_scheduled_ ? Schedule(at) : Request(at);
  }
  // A full pass is wanted at `at` or sooner; one that is being measured already does not count.
  void Request(Instant at) { requested_ = std::min(requested_.value_or(at), at); }
  // The same, because the kubelet would make a pass then.
  void Schedule(Instant at) { scheduled_ = std::min(scheduled_, at); }
  [[nodiscard]] bool measuring() const { return measuring_; }
  // Whether the pass that has begun is a scheduled one.
  [[nodiscard]] bool is_scheduled() const { return is_scheduled_; }
  // The next scheduled pass.
  [[nodiscard]] Instant scheduled() const { return scheduled_; }
  // When Begin, or while a pass is being measured TakeTurn, will next be true.
  [[nodiscard]] Instant NextDeadline() const {
    return measuring_ ? scheduled_ : std::min(scheduled_, requested_.value_or(scheduled_));
  }

 private:
  Duration interval_;
  Instant scheduled_;
  std::optional<Instant> requested_;
  bool measuring_ = false;
  bool is_scheduled_ = false;  // the pass that has begun
};

}  // namespace jettison
