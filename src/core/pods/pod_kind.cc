#include "core/pods/pod_kind.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "core/model/pod.h"

namespace jettison {
namespace {

Quantity AmountOf(const ResourceList& list, std::string_view resource) {
  const Quantity* amount = FindResource(list, resource);
  return amount == nullptr ? Quantity{} : *amount;
}

QosClass QosOfResource(const ResourceRequirements& resources, std::string_view resource) {
  const Quantity request = AmountOf(resources.requests, resource);
  const Quantity limit = AmountOf(resources.limits, resource);
  if (!(request == limit)) return QosClass::kBurstable;
  return request.IsZero() ? QosClass::kBestEffort : QosClass::kGuaranteed;
}

// The whole has the class of its parts only if they agree.
QosClass Combined(QosClass a, QosClass b) {
  return a == b ? a : QosClass::kBurstable;
}

QosClass QosOfResources(const ResourceRequirements& resources) {
  return Combined(QosOfResource(resources, "cpu"), QosOfResource(resources, "memory"));
}

constexpr std::string_view kConfigSource = "kubernetes.io/config.source";
constexpr std::string_view kConfigMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kApiServer = "api";

constexpr int kGuaranteed = -997;
constexpr int kBestEffort = 1000;
constexpr int kMostProtectedBurstable = 1000 + kGuaranteed;

std::int64_t MemoryRequestOf(const ResourceRequirements& resources) {
  return AmountOf(resources.requests, kMemoryResource).Value();
}

// Each container's share of the rest of the pod-level request; below zero if the containers request
// more than the pod.
std::int64_t ShareOfPodRequest(const Pod& pod) {
  const std::int64_t of_pod = pod.resources ? MemoryRequestOf(*pod.resources) : 0;
  const auto count = static_cast<std::int64_t>(pod.containers.size() + pod.init_containers.size());
  if (of_pod == 0 || count == 0) return 0;
  const auto of_containers = SumOfContainers(pod, &ResourceRequirements::requests, kMemoryResource);
  const auto rest = static_cast<std::uint64_t>(of_pod) -
                    static_cast<std::uint64_t>(of_containers ? of_containers->Value() : 0);
  return static_cast<std::int64_t>(rest) / count;
}

std::int64_t SmallestRegularRequest(const Pod& pod) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (const Container& container : pod.containers) {
    smallest = std::min(smallest, MemoryRequestOf(container.resources));
  }
  return smallest;
}

// Without sign the sums wrap around like Go's integers, for example for a request above 9 PB.
std::int64_t BurstableScore(const Pod& pod, const Container& container, std::int64_t capacity) {
  const auto share = static_cast<std::uint64_t>(ShareOfPodRequest(pod));
  const auto score = [&](std::int64_t request) {
    const std::uint64_t thousandfold = (static_cast<std::uint64_t>(request) + share) * 1000U;
    const std::int64_t points = static_cast<std::int64_t>(thousandfold) / capacity;
    return static_cast<std::int64_t>(1000U - static_cast<std::uint64_t>(points));
  };
  const std::int64_t own = score(MemoryRequestOf(container.resources));
  const bool is_sidecar =
      container.IsSidecar() && std::ranges::find(pod.init_containers, container.name,
                                                 &Container::name) != pod.init_containers.end();
  if (!is_sidecar || pod.containers.empty()) return own;
  return std::min(own, score(SmallestRegularRequest(pod)));
}

int Bounded(std::int64_t score) {
  if (score < kMostProtectedBurstable) return kMostProtectedBurstable;
  if (score == kBestEffort) return kBestEffort - 1;
  return static_cast<int>(std::min<std::int64_t>(score, std::numeric_limits<int>::max()));
}

}  // namespace

QosClass ComputeQosClass(const Pod& pod) {
  if (pod.resources) return QosOfResources(*pod.resources);
  std::optional<QosClass> qos;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      const QosClass own = QosOfResources(container.resources);
      qos = qos ? Combined(*qos, own) : own;
    }
  }
  return qos.value_or(QosClass::kBestEffort);
}

QosClass QosClassOf(const Pod& pod) {
  return pod.status_qos_class ? *pod.status_qos_class : ComputeQosClass(pod);
}

bool IsStatic(const Pod& pod) {
  const auto source = pod.annotations.find(kConfigSource);
  return source != pod.annotations.end() && source->second != kApiServer;
}

bool IsMirror(const Pod& pod) {
  return pod.annotations.find(kConfigMirror) != pod.annotations.end();
}

bool IsCriticalByPriority(const Pod& pod) {
  return pod.priority && *pod.priority >= kSystemCriticalPriority;
}

bool IsCritical(const Pod& pod, Profile profile) {
  const bool is_of_node = IsStatic(pod) || IsMirror(pod);
  return IsCriticalByPriority(pod) || (profile == Profile::kKubelet && is_of_node);
}

bool IsNodeCritical(const Pod& pod) {
  return IsCritical(pod, Profile::kKubelet) && pod.priority_class_name == kSystemNodeCritical;
}

int OomScoreAdj(const Pod& pod, const Container& container, std::uint64_t memory_capacity_bytes) {
  if (IsNodeCritical(pod)) return kGuaranteed;
  switch (QosClassOf(pod)) {
    case QosClass::kGuaranteed: return kGuaranteed;
    case QosClass::kBestEffort: return kBestEffort;
    case QosClass::kBurstable: break;
  }
  if (memory_capacity_bytes == 0) return kBestEffort - 1;
  const auto capacity = static_cast<std::int64_t>(
      std::min<std::uint64_t>(memory_capacity_bytes, std::numeric_limits<std::int64_t>::max()));
  return Bounded(BurstableScore(pod, container, capacity));
}

}  // namespace jettison
