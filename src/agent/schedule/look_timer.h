#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// When the node is looked at next.
class LookTimer {
 public:
  // At `at` or sooner.
  void Ask(Instant at) { due_ = due_ ? std::min(*due_, at) : at; }
  // Something has been reported: at once, but not sooner than `apart` after the last look.
  void Wake(Duration apart, Instant now) { Ask(last_ ? std::max(now, *last_ + apart) : now); }
  // A look begins; whether it was due.
  [[nodiscard]] bool Begin(Instant now) {
    if (!due_ || *due_ > now) return false;
    due_.reset();
    last_ = now;
    return true;
  }
  [[nodiscard]] std::optional<Instant> due() const { return due_; }

 private:
  std::optional<Instant> due_;
  std::optional<Instant> last_;
};

}  // namespace jettison
