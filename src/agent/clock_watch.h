#pragma once

#include "agent/log/log.h"
#include "agent/loop/steady_clock.h"
#include "core/units/duration.h"

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

}  // namespace jettison
