#include "sources/kubernetes/pods/kubelet_pod.h"

#include <fmt/format.h>

#include <variant>

#include "sources/kubernetes/pods/kubelet_groups.h"

namespace jettison::kube {
namespace {

bool IsOf(const ApiPod& pod, std::string_view kind) {
  const OwnerReference* const owner = pod.Controller();
  return owner != nullptr && owner->kind == kind;
}

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

}  // namespace

ForeignFinding FindingOf(const ApiPod& pod, const KubeletPlaces& kubelet) {
  ForeignFinding finding;
  finding.identity = {.key = pod.head.uid,
                      .name = pod.head.name,
                      .namespace_ = pod.head.namespace_,
                      .uid = pod.head.uid,
                      .labels = {},
                      .annotations = {}};
  finding.reading.pod = pod.pod;
  // What is not understood is not enough to rank it by.
  const bool spared_as_daemon = !kubelet.evict_daemon_sets && IsOf(pod, "DaemonSet");
  finding.spared = spared_as_daemon || pod.IsMirror() || !pod.faults.empty();
  finding.kill_at_once = kubelet.jobs == JobEnding::kKill && IsOf(pod, "Job");
  finding.local_volumes = LocalVolumesOf(pod, kubelet.directory);
  return finding;
}

ForeignContainer ContainerOf(const ApiPod& pod, const ContainerStatus& status,
                             const KubeletPlaces& kubelet) {
  ForeignContainer container;
  container.id = status.id;
  container.label = status.name;
  container.given_name = status.name;
  container.name = status.name;
  container.attempt = status.restarts;
  if (status.started_at) container.started_at = status.started_at->time_since_epoch().count();
  container.log_path = fmt::format("{}/{}_{}_{}/{}/{}.log", kubelet.pod_logs, pod.head.namespace_,
                                   pod.head.name, LocalUidOf(pod), status.name, status.restarts);
  return container;
}

}  // namespace jettison::kube
