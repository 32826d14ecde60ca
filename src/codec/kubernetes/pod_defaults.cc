#include "codec/kubernetes/pod_defaults.h"

#include "core/model/pod_resources.h"
#include "core/model/priority.h"

namespace jettison::kube_json {
namespace {

constexpr std::int64_t kGracePeriodSeconds = 30;

void RequestWhatIsLimited(ResourceRequirements& resources) {
  for (const auto& [name, limit] : resources.limits) resources.requests.try_emplace(name, limit);
}

// A pod-level request that is not given is what the containers ask for together, and without that
// the pod-level limit. Huge pages cannot be overcommitted: their request is always the limit.
void DefaultPodLevelRequests(Pod& pod) {
  if (!HasPodLevelResources(pod)) return;
  for (std::string_view name : {std::string_view("cpu"), kMemoryResource}) {
    auto sum = SumOfContainers(pod, &ResourceRequirements::requests, name);
    if (sum) pod.resources->requests.try_emplace(std::string(name), *sum);
  }
  for (const auto& [name, limit] : pod.resources->limits) {
    if (MayStandAtPodLevel(name)) pod.resources->requests.try_emplace(name, limit);
  }
}

void DefaultContainer(Container& container) {
  RequestWhatIsLimited(container.resources);
  if (!container.image_pull_policy && !container.image.empty()) {
    container.image_pull_policy = DefaultPullPolicy(container.image);
  }
}

void DefaultSource(Volume& volume) {
  const auto* other = std::get_if<OtherVolumeSource>(&volume.source);
  if (other != nullptr && other->kind.empty()) volume.source = EmptyDirSource{};
}

}  // namespace

void ApplyPodDefaults(Pod& pod) {
  if (!pod.termination_grace_period_seconds) {
    pod.termination_grace_period_seconds = kGracePeriodSeconds;
  }
  for (Container& container : pod.init_containers) DefaultContainer(container);
  for (Container& container : pod.containers) DefaultContainer(container);
  DefaultPodLevelRequests(pod);
  for (Volume& volume : pod.volumes) DefaultSource(volume);
  if (!pod.priority) pod.priority = PriorityOfClass(pod.priority_class_name);
}

}  // namespace jettison::kube_json
