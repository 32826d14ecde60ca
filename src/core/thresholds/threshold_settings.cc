#include "core/thresholds/threshold_settings.h"

#include <algorithm>
#include <string>

#include "core/thresholds/threshold_text.h"

namespace jettison {
namespace {

bool IsOfKubelet(Signal signal) {
  return signal != Signal::kAllocatableMemoryAvailable &&
         std::ranges::find(kKubeletSignals, signal) != kKubeletSignals.end();
}

}  // namespace

EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds) {
  EvictionSettings settings;
  for (const Threshold& threshold : thresholds) {
    if (threshold.signal == Signal::kAllocatableMemoryAvailable) settings.enforce_pods = true;
    if (!IsOfKubelet(threshold.signal)) continue;
    const std::string signal(NameOf(threshold.signal));
    // A soft threshold without a grace period acts like a hard one.
    if (threshold.IsHard() && !settings.hard.contains(signal)) {
      settings.hard[signal] = ThresholdText(threshold.value);
    } else {
      settings.soft[signal] = ThresholdText(threshold.value);
      settings.soft_grace_period[signal] = FormatDuration(threshold.grace_period);
    }
    if (threshold.min_reclaim) {
      settings.minimum_reclaim[signal] = ThresholdText(*threshold.min_reclaim);
    }
  }
  return settings;
}

}  // namespace jettison
