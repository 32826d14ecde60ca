#include "sources/kubernetes/objects/api_pod.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "codec/kubernetes/field.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/resources_reader.h"
#include "sources/kubernetes/objects/api_object.h"

namespace jettison::kube {
namespace {

using kube_json::Field;

void ReadMetadata(const Field& metadata, ApiPod& pod) {
  metadata.Member("ownerReferences").ForEachItem([&](const Field& item) {
    if (!item.IsMap() || !item.Member("controller").Bool().value_or(false)) return;
    pod.controller_kind = item.Member("kind").String().value_or("");
  });
  pod.deleted = ReadTime(metadata.Member("deletionTimestamp"));
}

// "containerd://d423cb..."
void ReadContainerId(const Field& field, ContainerStatus& status) {
  constexpr std::string_view kSeparator = "://";
  const std::string text = field.String().value_or("");
  if (text.empty()) return;
  const std::size_t at = text.find(kSeparator);
  if (at == std::string::npos || at == 0 || at + kSeparator.size() == text.size()) {
    return field.Fault("must be RUNTIME://ID");
  }
  status.id = text.substr(at + kSeparator.size());
}

void ReadContainers(const Field& list, bool is_ephemeral, ApiPod& pod) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    ContainerStatus status{.name = item.Member("name").String().value_or(""),
                           .is_ephemeral = is_ephemeral};
    ReadContainerId(item.Member("containerID"), status);
    status.restarts =
        static_cast<std::int32_t>(item.Member("restartCount").Integer(0, kMost).value_or(0));
    pod.containers.push_back(std::move(status));
  });
}

void ReadStatusOf(const Field& status, ApiPod& pod) {
  if (!status.IsMap()) return;
  pod.phase = status.Member("phase").String().value_or("");
  pod.reason = status.Member("reason").String().value_or("");
  pod.message = status.Member("message").String().value_or("");
  pod.conditions = ReadConditions(status.Member("conditions"));
  ReadContainers(status.Member("initContainerStatuses"), false, pod);
  ReadContainers(status.Member("containerStatuses"), false, pod);
  ReadContainers(status.Member("ephemeralContainerStatuses"), true, pod);
}

bool AwaitsResize(const ApiPod& pod) {
  return std::ranges::any_of(pod.conditions, [](const Condition& condition) {
    return condition.type == "PodResizePending" && condition.status == "True";
  });
}

// The resources of containers as the kubelet has allocated them, in place of those of the
// specification.
void TakeAllocated(const Field& statuses, std::vector<Container>& containers) {
  statuses.ForEachItem([&](const Field& item) {
    if (!item.HoldsMap()) return;
    const Field resources = item.Member("resources");
    const std::string name = item.Member("name").String().value_or("");
    const auto container = std::ranges::find(containers, name, &Container::name);
    if (container == containers.end() || !resources.HoldsMap()) return;
    container->resources = kube_json::ReadResources(resources);
  });
}

// The kubelet ranks pods by what it has allocated to them. While it cannot, or will never, carry
// out a resize, that is not what the specification asks for. (kubelet: getAllocatedPods)
void TakeAllocated(const Field& status, ApiPod& pod) {
  if (!AwaitsResize(pod)) return;
  TakeAllocated(status.Member("initContainerStatuses"), pod.pod.init_containers);
  TakeAllocated(status.Member("containerStatuses"), pod.pod.containers);
}

}  // namespace

Result<ApiPod> ReadApiPod(const Value& document) {
  kube_json::FaultLog log{.file = {}, .lenient = true, .faults = {}, .warnings = {}};
  const Field root(document, log);
  if (!root.IsMap()) return Fail(ErrorCode::kInvalidArgument, "a pod that is no map");
  const Field metadata = root.Member("metadata");
  auto head = ReadHead(metadata);
  if (!head) return Fail(head.error());
  ApiPod pod{.head = std::move(*head)};
  PodReading reading = ReadPod(document, {.file = {}, .form = PodForm::kApiObject});
  pod.pod = std::move(reading.pod);
  ReadMetadata(metadata, pod);
  const Field status = root.Member("status");
  ReadStatusOf(status, pod);
  TakeAllocated(status, pod);
  pod.faults = std::move(reading.faults);
  for (Fault& fault : log.faults) {
    const auto same = [&](const Fault& other) { return other.key == fault.key; };
    if (std::ranges::none_of(pod.faults, same)) AddFault(pod.faults, std::move(fault));
  }
  return pod;
}

}  // namespace jettison::kube
