#include "view/snapshot.h"

#include <algorithm>

namespace jettison {

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
