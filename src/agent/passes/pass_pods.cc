#include "agent/passes/pass_pods.h"

namespace jettison {

void PassPods::ReadFor(const ReadingPlan& plan) {
  switch (plan.pods) {
    case PodFigures::kNone: return summary_.pods.clear();
    case PodFigures::kMemory: return figures_.ReadMemoryOf(pods_, summary_.pods);
    case PodFigures::kAll: return ReadAll(nullptr);
  }
  __builtin_unreachable();
}

void PassPods::ReadVictim(const ReadingPlan& plan, std::size_t victim) {
  if (plan.pods != PodFigures::kMemory) return;
  figures_.ReadContainersOf(*joined_[victim].facts, summary_.pods[victim]);
}

}  // namespace jettison
