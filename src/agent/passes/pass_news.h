#pragma once

#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/report/cycle_report.h"

namespace jettison {

// Whether a pass with this evaluation would report something new after the state `before`: a
// threshold acts that is not among `acted`, or is newly met, or a condition changes.
[[nodiscard]] bool HasNews(const Evaluation& evaluation, const EvictionState& before,
                           ThresholdSet acted);

// Of the thresholds in their margin, where a node may stay for days with nobody to evict, those for
// which there may be another candidate than in the last pass: they have left it, or a quarter of
// what was left to the kubelet's line is gone. So pods are ranked some ten times while one of them
// takes the margin, however fast, and seldom while the node rests.
[[nodiscard]] ThresholdSet NewsOfMargins(std::span<const Threshold> thresholds,
                                         const CycleReport& last, const Evaluation& evaluation,
                                         const Observations& seen);

}  // namespace jettison
