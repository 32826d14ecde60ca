#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// When the next scheduled watch pass is due.
class WatchSchedule {
 public:
  // At `at` or sooner.
  void Ask(Instant at) { due_ = due_ ? std::min(*due_, at) : at; }
  // At `at`, whatever was asked for before.
  void Set(Instant at) { due_ = at; }
  void Clear() { due_.reset(); }
  // Whether it is due by now; true once.
  [[nodiscard]] bool Begin(Instant now) {
    if (!due_ || *due_ > now) return false;
    due_.reset();
    return true;
  }
  [[nodiscard]] std::optional<Instant> due() const { return due_; }

 private:
  std::optional<Instant> due_;
};

}  // namespace jettison
