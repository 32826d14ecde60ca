#include "core/decide/eviction_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/model/pod.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

Quantity Measured(std::uint64_t bytes) {
  return Quantity::Of(static_cast<std::int64_t>(bytes));
}

// Regular containers first, then init containers, as the kubelet looks for the name.
const Container* ContainerNamed(const Pod& pod, std::string_view name) {
  for (const auto* list : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *list) {
      if (container.name == name) return &container;
    }
  }
  return nullptr;
}

// How much a container used of the starved resource; absent if a part is unknown, and for resources
// that containers cannot request.
std::optional<Quantity> UsageOf(const ContainerStats& stats, Resource resource) {
  if (resource == Resource::kMemory && stats.memory_working_set_bytes) {
    return Measured(*stats.memory_working_set_bytes);
  }
  if (resource != Resource::kEphemeralStorage || !stats.rootfs || !stats.logs) return std::nullopt;
  if (!stats.rootfs->used_bytes || !stats.logs->used_bytes) return std::nullopt;
  return Measured(*stats.rootfs->used_bytes + *stats.logs->used_bytes);
}

std::string LargerConsumption(std::string_view who, std::string_view name, std::string_view usage,
                              std::string_view request, Resource resource) {
  return fmt::format("{} {} was using {}, request is {}, has larger consumption of {}. ", who, name,
                     usage, request, NameOf(resource));
}

void Annotate(const ActivePod& pod, const std::string& usage, EvictionOrder& order) {
  order.annotations["offending_pod"] = pod.facts->pod.name;
  order.annotations["offending_pod_usage"] = usage;
}

// A pod with a memory request of its own is named whether or not it uses more than that.
void AddPodSentence(const ActivePod& pod, Resource resource, EvictionOrder& order) {
  const auto& resources = pod.facts->pod.resources;
  if (resource != Resource::kMemory || !resources || !pod.stats->has_memory) return;
  const Quantity* request = FindResource(resources->requests, kMemoryResource);
  if (request == nullptr) return;
  const std::string usage = Measured(pod.stats->memory_working_set_bytes.value_or(0)).ToString();
  order.message +=
      LargerConsumption("Pod", pod.facts->pod.name, usage, request->ToString(), resource);
  Annotate(pod, usage, order);
}

void AddContainerSentences(const ActivePod& pod, Resource resource, EvictionOrder& order) {
  std::string names;
  std::string usages;
  bool any = false;
  for (const ContainerStats& stats : pod.stats->containers) {
    const Container* container = ContainerNamed(pod.facts->pod, stats.name);
    const auto usage = UsageOf(stats, resource);
    if (container == nullptr || !usage) continue;
    const Quantity* found = FindResource(container->resources.requests, NameOf(resource));
    const Quantity request = found == nullptr ? Quantity() : *found;
    if (!(*usage > request)) continue;
    order.message += LargerConsumption("Container", container->name, usage->ToString(),
                                       request.ToString(), resource);
    if (any) names += ',', usages += ',';
    names += container->name;
    usages += usage->ToString();
    any = true;
  }
  order.annotations["offending_containers"] = names;
  order.annotations["offending_containers_usage"] = usages;
  order.annotations["starved_resource"] = NameOf(resource);
}

// The kubelet has no message for pressure; this one follows the form of its others.
std::string StalledSentences(const Threshold& threshold, const Observation& seen) {
  return fmt::format("The node was stalled on resource: {}. Threshold: {}, {}: {}. ",
                     NameOf(ResourceOf(threshold.signal)),
                     ShareText(LostOf(QuantityOf(threshold.value, seen.capacity))),
                     NameOf(threshold.signal), ShareText(kWholeTime - seen.available));
}

std::string StarvedSentences(const Threshold& threshold, const std::optional<Observation>& seen) {
  if (seen && IsPressure(threshold.signal)) return StalledSentences(threshold, *seen);
  std::string sentences =
      fmt::format("The node was low on resource: {}. ", NameOf(ResourceOf(threshold.signal)));
  if (!seen) return sentences;
  return sentences +
         fmt::format("Threshold quantity: {}, available: {}. ",
                     QuantityOf(threshold.value, seen->capacity).ToString(),
                     Quantity::Of(seen->available, FormatOf(threshold.signal)).ToString());
}

// Adds the figure by which a pod is chosen under pressure on I/O, or when swap is short: pods
// cannot request either.
void AddFigureSentence(const ActivePod& pod, Resource resource, EvictionOrder& order) {
  std::string figure;
  if (resource == Resource::kIo && pod.stats->io_some_avg10) {
    figure = ShareText(*pod.stats->io_some_avg10);
    order.message += fmt::format("Pod {} was stalled on {} itself for {} of the last 10s. ",
                                 pod.facts->pod.name, NameOf(resource), figure);
  } else if (resource == Resource::kSwap && pod.stats->swap_bytes) {
    figure = Measured(*pod.stats->swap_bytes).ToString();
    order.message +=
        fmt::format("Pod {} was using {} of {}. ", pod.facts->pod.name, figure, NameOf(resource));
  }
  if (!figure.empty()) Annotate(pod, figure, order);
}

std::int64_t GraceFor(const Threshold& threshold, const Pod& pod, std::int64_t maximum) {
  if (threshold.IsHard()) return kHardEvictionGracePeriodSeconds;
  if (maximum < 0) return GraceSecondsOf(pod);
  return std::min(maximum, pod.termination_grace_period_seconds.value_or(maximum));
}

}  // namespace

EvictionOrder OrderFor(const ActivePod& pod, const StorageViolation& violation) {
  return {.pod_uid = pod.facts->pod.uid,
          .grace_period_seconds = kHardEvictionGracePeriodSeconds,
          .message = ViolationMessage(pod.facts->storage_limits[violation.index]),
          .annotations = {},
          .disruption_target = false};
}

EvictionOrder OrderFor(const ActivePod& pod, const Threshold& acting_for,
                       const std::optional<Observation>& seen,
                       std::int64_t max_pod_grace_period_seconds) {
  const Resource resource = ResourceOf(acting_for.signal);
  EvictionOrder order{
      .pod_uid = pod.facts->pod.uid,
      .grace_period_seconds = GraceFor(acting_for, pod.facts->pod, max_pod_grace_period_seconds),
      .message = StarvedSentences(acting_for, seen),
      .annotations = {},
      .disruption_target = true,
      .soft = !acting_for.IsHard()};
  if (pod.stats == nullptr) return order;
  AddFigureSentence(pod, resource, order);
  AddPodSentence(pod, resource, order);
  AddContainerSentences(pod, resource, order);
  return order;
}

EvictionOrder PreemptionOrder(const Pod& pod, const Pod& in_favour_of) {
  return {.pod_uid = pod.uid,
          .grace_period_seconds = GraceSecondsOf(pod),
          .reason = "Preempting",
          .message = "Preempted in order to admit pod " + FullName(in_favour_of),
          .annotations = {},
          .disruption_target = true};
}

}  // namespace jettison
