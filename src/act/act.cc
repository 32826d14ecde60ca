#include "act/act.h"

#include "observe/observations.h"

namespace jettison {
namespace {

Result<void> Try(ReclaimStep step, NodeReclaimer& reclaimer) {
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
    if (auto freed = Try(step, ports.reclaimer); !freed) {
      outcome.errors.push_back(freed.error().message);
    }
  }
  const auto summary = ports.summaries.ReadSummary();
  if (!summary) {
    outcome.errors.push_back(summary.error().message);
    return outcome;
  }
  outcome.relieved = PressureRelieved(thresholds, ObservationsFrom(*summary));
  return outcome;
}

}  // namespace jettison
