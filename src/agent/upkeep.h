#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/units/duration.h"
#include "machine/log/log.h"
#include "machine/loop/steady_clock.h"

namespace jettison {

// Detects that the machine was suspended and that the wall clock was set. No decision is based on
// the wall clock.
class ClockWatch {
 public:
  // Both must outlive this.
  ClockWatch(const SteadyClock& clock, const Log& log) : clock_(clock), log_(log) {}

  // For how long the machine was suspended since the last call, or 0. Reads two clocks, and
  // allocates nothing where it was not.
  [[nodiscard]] Duration LookForSuspend();
  // Says whether the wall clock was set since the last call.
  void LookForStep();

 private:
  const SteadyClock& clock_;
  const Log& log_;
  Duration slept_ = SteadyClock::Slept();
  Duration wall_ahead_{0};  // of the agent's clock
};

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
