#include "sources/kubernetes/pods/kubelet_groups.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pods/qos.h"
#include "kernel/groups/cgroup_layout.h"
#include "kernel/processes/proc_files.h"

namespace jettison::kube {
namespace {

constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
// A container may hold any number of processes. Its first one has one of the lowest numbers, unless
// numbers began anew since; then another of the first ones stands for it.
constexpr std::size_t kMostLookedAt = 256;

}  // namespace

std::string LocalUidOf(const ApiPod& pod) {
  const auto hash = pod.pod.annotations.find(kMirrorAnnotation);
  return hash == pod.pod.annotations.end() ? pod.head.uid : hash->second;
}

std::string PodGroupOf(const ApiPod& pod, CgroupDriver driver) {
  return pod_host::PodGroup(QosClassOf(pod.pod), LocalUidOf(pod), driver);
}

Result<std::string> ContainerGroupIn(Cgroups& cgroups, const std::string& pod_group,
                                     std::string_view id) {
  const auto children = cgroups.Children(pod_group);
  if (!children) return Fail(children.error());
  const auto found = std::ranges::find_if(
      *children, [&](const std::string& name) { return IsGroupOfContainer(name, id); });
  if (found == children->end()) return Fail(ErrorCode::kNotFound, "the container has no group");
  return pod_host::ContainerGroup(pod_group, *found);
}

std::optional<pid_t> FirstProcessIn(const NodeGroups& node, const std::string& group) {
  auto found = node.cgroups.Processes(group);
  if (!found) return std::nullopt;
  std::vector<pid_t>& pids = *found;
  std::ranges::sort(pids);
  std::optional<pid_t> first;
  std::uint64_t first_began = 0;
  for (const pid_t pid : std::span(pids).first(std::min(pids.size(), kMostLookedAt))) {
    const auto stat = node.processes.ReadFile(pid, "stat");
    const auto began = stat ? StartOf(*stat) : std::nullopt;
    if (!began || std::ranges::binary_search(pids, ParentOf(*stat))) continue;
    if (first && *began >= first_began) continue;
    first = pid;
    first_began = *began;
  }
  return first;
}

}  // namespace jettison::kube
