#pragma once

#include "core/model/threshold.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// How far our threshold lies above the kubelet's of the same signal, so that Jettison evicts before
// the kubelet sees its own threshold crossed. It is an amount and a percentage, so that it can be
// added to either without knowing the capacity. Its computation: docs/kubernetes.md.
struct Margin {
  Quantity amount;  // bytes, inodes or process ids
  double percent_points = 0;
};
// For signals of the kubelet.
[[nodiscard]] Margin MarginOf(Signal signal);

// The kubelet's threshold plus the margin. A percentage stays below 100%: if the margin does not
// fit, half of the difference to 100% is added.
[[nodiscard]] ThresholdValue WithMargin(Signal signal, const ThresholdValue& theirs);

// Ours on memory.available beside a kubelet that has none: the kubelet's default plus the margin.
[[nodiscard]] ThresholdValue DefaultMemoryThreshold();
// That default.
[[nodiscard]] Threshold KubeletsDefaultMemory();

// Our settings derived from the kubelet's: each threshold plus the margin, soft ones with the
// kubelet's grace periods, without minimum reclaims. Thresholds on disks are left out, because the
// kubelet frees unused images and containers before it evicts for them. One on
// allocatableMemory.available has no margin (BesideKubelet). Percentages that are not
// numbers are left out, too.
[[nodiscard]] EvictionSettings SettingsAbove(const EvictionSettings& theirs);

}  // namespace jettison
