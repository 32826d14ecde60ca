#include "core/pods/pod_kind.h"

#include <optional>
#include <string_view>

#include "core/model/pod.h"
#include "core/model/pod_resources.h"

namespace jettison {
namespace {

Quantity AmountOf(const ResourceList& list, std::string_view resource) {
  const Quantity* amount = FindResource(list, resource);
  return amount == nullptr ? Quantity{} : *amount;
}

// The class of one resource alone.
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

namespace {
constexpr std::string_view kConfigSource = "kubernetes.io/config.source";
constexpr std::string_view kConfigMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kApiServer = "api";
}  // namespace

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
  switch (profile) {
    case Profile::kKubelet: return IsStatic(pod) || IsMirror(pod) || IsCriticalByPriority(pod);
    case Profile::kStandalone: return IsCriticalByPriority(pod);
  }
  __builtin_unreachable();
}

bool IsNodeCritical(const Pod& pod) {
  return IsCritical(pod, Profile::kKubelet) && pod.priority_class_name == kSystemNodeCritical;
}

}  // namespace jettison
