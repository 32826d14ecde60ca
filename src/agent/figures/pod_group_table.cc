#include "agent/figures/pod_group_table.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {

GroupsOfPod PodGroupTable::Compute(const PodFacts& facts) const {
  GroupsOfPod groups;
  if (runtime_ != nullptr) groups.pod = runtime_->ForeignGroupsOf(facts.pod.uid);
  const bool is_foreign = !groups.pod.empty();
  if (!is_foreign) groups.pod = {kernel::PodGroup(facts.qos, facts.pod.uid, names_)};
  for (const auto* containers : {&facts.pod.init_containers, &facts.pod.containers}) {
    for (const Container& container : *containers) {
      const std::string_view name = runtime_ == nullptr
                                        ? std::string_view(container.name)
                                        : runtime_->GroupOf(facts.pod.uid, container.name);
      groups.containers.emplace_back(container.name,
                                     name.empty() || is_foreign
                                         ? std::string(name)
                                         : kernel::ContainerGroup(groups.pod.front(), name));
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
