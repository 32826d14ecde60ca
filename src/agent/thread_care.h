#pragma once

#include <optional>
#include <set>
#include <string>

#include "agent/log/log.h"
#include "core/units/duration.h"

namespace jettison {

// Sees to the threads beside the loop: tells of those that could not be started, tries them again,
// and gives up jobs that hang.
class ThreadCare {
 public:
  // `log` must outlive this.
  explicit ThreadCare(const Log& log) : log_(log) {}

  // After everything else of a turn: nothing that has to be done at once waits for it.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

 private:
  const Log& log_;
  std::optional<Instant> next_;
  std::set<std::string> missing_;  // of which it has been told
};

}  // namespace jettison
