#pragma once

#include <optional>

#include "agent/log/log.h"
#include "core/units/duration.h"

namespace jettison {

// Tells of threads that could not be started, and tries them again.
class ThreadCare {
 public:
  // `log` must outlive this.
  explicit ThreadCare(const Log& log) : log_(log) {}

  // After everything else of a turn: nothing that has to be done at once waits for it.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

 private:
  const Log& log_;
  std::optional<Instant> next_;  // when those that are missing are tried again
};

}  // namespace jettison
