#pragma once

#include "core/model/threshold.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// By how much more our threshold lies above the kubelet's of the same signal, so that we have
// evicted before the kubelet sees its own crossed. It has the form of what it is added to: no
// capacity has to be known for it. What it is reckoned by: docs/kubernetes.md.
struct Margin {
  Quantity amount;  // bytes, inodes or process ids
  double percent_points = 0;
};
// For signals of the kubelet.
[[nodiscard]] Margin MarginOf(Signal signal);

// The kubelet's threshold and the margin. A percentage stays below 100%: where the margin does not
// fit, half of what is left to 100% is added.
[[nodiscard]] ThresholdValue WithMargin(Signal signal, const ThresholdValue& theirs);

// Settings of our own, made of the kubelet's: each threshold with the margin, soft ones with the
// kubelet's grace periods. Minimum reclaims are no part of it. Left out are disks, for which the
// kubelet frees what nobody uses before it evicts, and shares that are no numbers.
[[nodiscard]] EvictionSettings SettingsAbove(const EvictionSettings& theirs);

}  // namespace jettison
