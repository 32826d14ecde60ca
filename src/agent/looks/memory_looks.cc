#include "agent/looks/memory_looks.h"

#include <cstdint>

#include "agent/edges/memory_levels.h"
#include "agent/figures/pressure_forecast.h"

namespace jettison {
namespace {

// The kernel reports continuing stalls again within two seconds, and the averages include them two
// seconds after that.
constexpr Duration kStallsLast = 2 * kPressureUpdates;

}  // namespace

void MemoryLooks::Stalled(Instant now) {
  stalled_until_ = now + kStallsLast;
}

void MemoryLooks::Plan(std::span<const Threshold> thresholds, const Observations& seen,
                       ThresholdSet tellable, Instant now) {
  due_.reset();
  if (!ahead_) return;
  forecast_.Seen(seen, now);
  const auto wait = forecast_.NextLook(thresholds, levels_are_told_ ? tellable : ThresholdSet(),
                                       static_cast<std::int64_t>(kApproach + kLevelSlack));
  if (wait) due_ = now + *wait;
  const bool stalled = now < stalled_until_;
  if (stalls_are_told_ && !stalled) return;
  const auto pressure =
      NextPressureLook(thresholds, seen, stalled ? kStalledSpacing : kPressureUpdates);
  if (pressure && (!wait || *pressure < *wait)) due_ = now + *pressure;
}

}  // namespace jettison
