#include "core/pods/qos.h"

#include <optional>
#include <string_view>

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

}  // namespace jettison
