#include "act/act.h"

namespace jettison {
namespace {

Result<ReclaimProgress> Try(ReclaimStep step, NodeReclaimer& reclaimer) {
  switch (step) {
    case ReclaimStep::kDeadContainers: return reclaimer.DeleteDeadContainers();
    case ReclaimStep::kUnusedImages: return reclaimer.DeleteUnusedImages();
  }
  __builtin_unreachable();
}

}  // namespace

ReclaimOutcome Reclaim(std::span<const ReclaimStep> steps, std::span<const Threshold> thresholds,
                       NodePorts& ports) {
  ReclaimOutcome outcome;
  if (steps.empty()) return outcome;
  for (ReclaimStep step : steps) {
    outcome.attempted.push_back(step);
    const auto progress = Try(step, ports.reclaimer);
    if (!progress) outcome.errors.push_back(progress.error().message);
    if (progress == ReclaimProgress::kUnderWay) outcome.under_way = true;
  }
  if (outcome.under_way) return outcome;
  const auto summary = ports.summaries.ReadSummary();
  if (!summary) {
    outcome.errors.push_back(summary.error().message);
    return outcome;
  }
  outcome.seen = ObservationsFrom(*summary);
  outcome.relieved = PressureRelieved(thresholds, *outcome.seen);
  return outcome;
}

}  // namespace jettison
