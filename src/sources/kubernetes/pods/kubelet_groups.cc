#include "sources/kubernetes/pods/kubelet_groups.h"

#include <algorithm>
#include <utility>

#include "core/pods/pod_kind.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/first_process.h"
#include "kernel/processes/proc_files.h"

namespace jettison::kube {
namespace {

constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

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
    const auto first =
        FirstProcessIn(node.processes, node.cgroups, container.group, Counts::kStarted);
    if (first && *first) {
      container.pid = (*first)->pid;
      container.began = (*first)->began;
      seen.containers.push_back(std::move(container));
    } else {
      seen.empty.push_back(std::move(container.id));
    }
  }
  std::ranges::sort(seen.containers, {},
                    [](const SeenContainer& one) { return std::pair(one.began, one.pid); });
  return seen;
}

}  // namespace jettison::kube
