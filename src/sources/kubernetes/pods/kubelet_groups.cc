#include "sources/kubernetes/pods/kubelet_groups.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/pods/qos.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/preparation.h"
#include "kernel/processes/proc_files.h"

namespace jettison::kube {
namespace {

constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
// A container may have any number of processes. The first one has one of the lowest ids, unless ids
// have wrapped around since; then another early process is used.
constexpr std::size_t kMostLookedAt = 256;

enum class Counts : std::uint8_t { kStarted, kPrepared };

// Finds the first process of a container in its group: among those whose parent is not in the group
// (the container's own, and processes of later execs), the one that started first. False if there
// is no process, or, with kStarted, only those that create the container.
bool SeeFirstProcess(const NodeGroups& node, SeenContainer& container, Counts counts) {
  auto pids = node.cgroups.Processes(container.group).value_or(std::vector<pid_t>());
  std::ranges::sort(pids);
  for (const pid_t pid : std::span(pids).first(std::min(pids.size(), kMostLookedAt))) {
    const auto stat = node.processes.ReadFile(pid, "stat");
    const auto began = stat ? StartOf(*stat) : std::nullopt;
    if (!began || std::ranges::binary_search(pids, ParentOf(*stat))) continue;
    if (container.pid != 0 && *began >= container.began) continue;
    if (counts == Counts::kStarted && IsPreparation(node.processes, pid, *stat)) continue;
    container.pid = pid;
    container.began = *began;
  }
  return container.pid != 0;
}

}  // namespace

std::string LocalUidOf(const ApiPod& pod) {
  const auto hash = pod.pod.annotations.find(kMirrorAnnotation);
  return hash == pod.pod.annotations.end() ? pod.head.uid : hash->second;
}

std::string PodGroupOf(const ApiPod& pod, const kernel::GroupNames& names) {
  return kernel::PodGroup(QosClassOf(pod.pod), LocalUidOf(pod), names);
}

std::string_view IdIn(std::string_view group_name) {
  constexpr std::string_view kScope = ".scope";
  if (group_name.ends_with(kScope)) group_name.remove_suffix(kScope.size());
  return group_name.substr(group_name.rfind('-') + 1);
}

Result<SeenPod> SeeContainers(const NodeGroups& node, const std::string& pod_group) {
  const auto children = node.cgroups.Children(pod_group);
  if (!children) return Fail(children.error());
  SeenPod seen;
  for (const std::string& name : *children) {
    if (IsGroupOfConmon(name)) continue;
    SeenContainer container{.id = std::string(IdIn(name)),
                            .group = kernel::ContainerGroup(pod_group, name)};
    if (SeeFirstProcess(node, container, Counts::kStarted)) {
      seen.containers.push_back(std::move(container));
    } else {
      seen.empty.push_back(std::move(container.id));
    }
  }
  std::ranges::sort(seen.containers, {},
                    [](const SeenContainer& one) { return std::pair(one.began, one.pid); });
  return seen;
}

std::optional<pid_t> FirstProcessIn(const NodeGroups& node, const std::string& group) {
  SeenContainer container{.id = {}, .group = group};
  if (!SeeFirstProcess(node, container, Counts::kPrepared)) return std::nullopt;
  return container.pid;
}

}  // namespace jettison::kube
