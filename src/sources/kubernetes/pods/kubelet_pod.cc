#include "sources/kubernetes/pods/kubelet_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/model/eviction.h"
#include "core/pods/pod_kind.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison::kube {
namespace {

std::vector<PodDisk::LocalVolume> LocalVolumesOf(const ApiPod& pod, const std::string& directory) {
  std::vector<PodDisk::LocalVolume> volumes;
  for (const Volume& volume : pod.pod.volumes) {
    const auto* const empty_dir = std::get_if<EmptyDirSource>(&volume.source);
    if (empty_dir == nullptr) continue;
    volumes.push_back({.name = volume.name,
                       .path = fmt::format("{}/pods/{}/volumes/kubernetes.io~empty-dir/{}",
                                           directory, LocalUidOf(pod), volume.name),
                       .memory = !empty_dir->medium.empty()});
  }
  return volumes;
}

const ContainerStatus* StatusOf(const ApiPod& pod, std::string_view id) {
  const auto found = std::ranges::find(pod.containers, id, &ContainerStatus::id);
  return found == pod.containers.end() ? nullptr : &*found;
}

bool IsInitialized(const ApiPod& pod) {
  const auto condition = std::ranges::find(pod.conditions, "Initialized", &Condition::type);
  return pod.pod.init_containers.empty() ||
         (condition != pod.conditions.end() && condition->status == "True");
}

// Null: all containers are taken.
const std::string* NextName(const ApiPod& pod, const std::set<std::string_view>& taken) {
  const auto* first = &pod.pod.containers;
  const auto* second = &pod.pod.init_containers;
  if (!IsInitialized(pod)) std::swap(first, second);
  for (const auto* containers : {first, second}) {
    for (const Container& container : *containers) {
      if (!taken.contains(container.name)) return &container.name;
    }
  }
  return nullptr;
}

// The attempt of a run that is not in the status yet, which may still show the previous run.
int NextAttempt(const ApiPod& pod, std::string_view name) {
  const auto told = std::ranges::find(pod.containers, name, &ContainerStatus::name);
  if (told == pod.containers.end() || told->id.empty()) return 0;
  return told->restarts + 1;
}

ForeignContainer ContainerNamed(const ApiPod& pod, const std::string& name, int attempt,
                                const SeenContainer& seen, const std::string& pod_logs) {
  ForeignContainer container;
  container.id = seen.id;
  container.label = name;
  container.given_name = name;
  container.name = name;
  container.attempt = attempt;
  container.log_path = fmt::format("{}/{}_{}_{}/{}/{}.log", pod_logs, pod.head.namespace_,
                                   pod.head.name, LocalUidOf(pod), name, attempt);
  container.pid = seen.pid;
  container.group = seen.group;
  return container;
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

FoundForeignPod FindingOf(const ApiPod& pod, const KubeletPlaces& kubelet) {
  FoundForeignPod finding;
  finding.origin = PodOrigin::kKubernetes;
  finding.identity = {.key = pod.head.uid,
                      .name = pod.head.name,
                      .namespace_ = pod.head.namespace_,
                      .uid = pod.head.uid};
  finding.reading.pod = pod.pod;
  finding.reading.pod.restart_policy = RestartPolicy::kNever;  // the agent does not restart it
  // A pod with faults cannot be ranked, so it is spared.
  const bool spared_as_daemon = !kubelet.evict_daemon_sets && pod.controller_kind == "DaemonSet";
  finding.spared = spared_as_daemon || pod.IsMirror() || !pod.faults.empty();
  finding.kill_at_once = kubelet.jobs == JobEnding::kKill && pod.controller_kind == "Job";
  finding.local_volumes = LocalVolumesOf(pod, kubelet.directory);
  return finding;
}

std::vector<ForeignContainer> ContainersOf(const ApiPod& pod,
                                           const std::vector<SeenContainer>& seen,
                                           const KubeletPlaces& kubelet) {
  std::vector<ForeignContainer> containers;
  std::set<std::string_view> names;
  std::vector<const SeenContainer*> untold;
  for (const SeenContainer& one : seen) {
    const ContainerStatus* const status = StatusOf(pod, one.id);
    if (status == nullptr) {
      untold.push_back(&one);
    } else if (!status->is_ephemeral) {
      names.insert(status->name);
      containers.push_back(
          ContainerNamed(pod, status->name, status->restarts, one, kubelet.pod_logs));
    }
  }
  // The sandbox.
  if (!untold.empty() && untold.front() == &seen.front()) untold.erase(untold.begin());
  for (const SeenContainer* const one : untold) {
    const std::string* const name = NextName(pod, names);
    if (name == nullptr) break;
    names.insert(*name);
    containers.push_back(
        ContainerNamed(pod, *name, NextAttempt(pod, *name), *one, kubelet.pod_logs));
  }
  return containers;
}

}  // namespace jettison::kube
