#include "agent/looks/memory_looks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "agent/edges/memory_levels.h"
#include "agent/figures/pressure_forecast.h"

namespace jettison {
namespace {

// The kernel reports continuing stalls again within two seconds, and the averages include them two
// seconds after that.
constexpr Duration kStallsLast = 2 * kPressureUpdates;

}  // namespace

bool MemoryLooks::Stalled(Instant now) {
  stalled_until_ = now + kStallsLast;
  put_off_ = now < next_after_report_;
  if (put_off_) {
    due_ = std::min(due_.value_or(next_after_report_), next_after_report_);
  } else {
    next_after_report_ = now + kStallLookSpacing;
  }
  return !put_off_;
}

void MemoryLooks::Plan(std::span<const Threshold> thresholds, const Observations& seen,
                       ThresholdSet tellable, Instant now) {
  due_.reset();
  if (std::exchange(put_off_, false)) next_after_report_ = now + kStallLookSpacing;
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
