#include "agent/clock_watch.h"

#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kWorthSaying = std::chrono::seconds(1);

}  // namespace

Duration ClockWatch::LookForSuspend() {
  const Duration now_slept = SteadyClock::Slept();
  Duration slept = now_slept - std::exchange(slept_, now_slept);
  if (slept < kWorthSaying) slept = Duration{0};
  if (slept > Duration{0}) {
    log_.Info("the machine was suspended", {{"for", FormatDuration(slept)}});
  }
  return slept;
}

void ClockWatch::LookForStep() {
  const Duration ahead = clock_.Wall().time_since_epoch() - clock_.Now().time_since_epoch();
  const Duration step = ahead - std::exchange(wall_ahead_, ahead);
  if (step >= kWorthSaying || -step >= kWorthSaying) {
    log_.Info(
        "the wall clock was set; until the agent is restarted, the times that it shows follow the "
        "old setting; the times in its log follow the new one",
        {{"by", FormatDuration(step)}});
  }
}

}  // namespace jettison
