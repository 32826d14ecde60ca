#include "agent/figures/pod_group_table.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {

const std::vector<std::string>& PodGroupTable::ForeignGroupsOf(const PodFacts& facts) const {
  static const std::vector<std::string> kNone;
  return runtime_ == nullptr ? kNone : runtime_->ForeignGroupsOf(facts.pod.uid);
}

std::string_view PodGroupTable::GroupNameOf(const PodFacts& facts,
                                            const std::string& container) const {
  if (runtime_ == nullptr) return container;
  return runtime_->GroupOf(facts.pod.uid, container);
}

std::string PodGroupTable::GroupOf(const GroupsOfPod& groups, const PodFacts& facts,
                                   const std::string& container) const {
  const std::string_view name = GroupNameOf(facts, container);
  if (name.empty() || !groups.foreign.empty()) return std::string(name);
  return kernel::ContainerGroup(groups.pod.front(), name);
}

GroupsOfPod PodGroupTable::Compute(const PodFacts& facts) const {
  GroupsOfPod groups;
  groups.qos = facts.qos;
  groups.foreign = ForeignGroupsOf(facts);
  groups.pod = groups.foreign;
  if (groups.pod.empty()) {
    groups.pod = {kernel::PodGroup(groups.qos, facts.pod.uid, names_)};
  }
  for (const auto* containers : {&facts.pod.init_containers, &facts.pod.containers}) {
    for (const Container& container : *containers) {
      groups.containers.emplace_back(container.name, GroupOf(groups, facts, container.name));
    }
  }
  return groups;
}

// What is still read is opened again.
void PodGroupTable::Close(const GroupsOfPod& groups) {
  for (const std::string& group : groups.pod) cgroups_.Forget(group);
  for (const auto& [name, group] : groups.containers) {
    if (!group.empty()) cgroups_.Forget(group);
  }
}

GroupsOfPod& PodGroupTable::Of(const PodFacts& facts) {
  const auto [entry, is_new] = pods_.try_emplace(facts.pod.uid);
  GroupsOfPod& groups = entry->second;
  GroupsOfPod present = Compute(facts);
  if (!is_new && groups != present) Close(groups);
  groups = std::move(present);
  return groups;
}

void PodGroupTable::ForgetOthers(std::span<const PodFacts* const> pods) {
  constexpr std::size_t kMany = 16;
  if (pods_.size() <= pods.size() + kMany) return;
  std::unordered_set<std::string_view> uids;
  for (const PodFacts* facts : pods) uids.insert(facts->pod.uid);
  std::erase_if(pods_, [&](const auto& entry) {
    const bool is_gone = !uids.contains(entry.first);
    if (is_gone) Close(entry.second);
    return is_gone;
  });
}

}  // namespace jettison
