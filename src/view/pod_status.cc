#include "view/pod_status.h"

#include <algorithm>

#include "view/snapshot.h"

namespace jettison {

std::string_view NameOf(PodPhase phase) {
  switch (phase) {
    case PodPhase::kPending: return "Pending";
    case PodPhase::kRunning: return "Running";
    case PodPhase::kSucceeded: return "Succeeded";
    case PodPhase::kFailed: return "Failed";
  }
  __builtin_unreachable();
}

std::string_view NameOf(PodActivity activity) {
  switch (activity) {
    case PodActivity::kWaiting: return "waiting";
    case PodActivity::kStarting: return "starting";
    case PodActivity::kRunning: return "running";
    case PodActivity::kTerminating: return "terminating";
    case PodActivity::kCleaningUp: return "cleaning up";
    case PodActivity::kFinished: return "finished";
  }
  __builtin_unreachable();
}

std::string_view TerminationReason(const ContainerExit& exit) {
  if (exit.oom_killed) return "OOMKilled";
  return exit.exit_code == 0 ? "Completed" : "Error";
}

const PodCondition* PodStatus::Find(std::string_view type) const {
  const auto found = std::ranges::find(conditions, type, &PodCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

void PodStatus::Set(PodCondition condition) {
  const auto found = std::ranges::find(conditions, condition.type, &PodCondition::type);
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (found->status == condition.status) condition.last_transition = found->last_transition;
  *found = std::move(condition);
}

}  // namespace jettison
