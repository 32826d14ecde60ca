#include "decide/pod_requests.h"

#include <algorithm>

namespace jettison {
namespace {

using Side = ResourceList ResourceRequirements::*;

const Quantity* Find(const ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? nullptr : &found->second;
}

// An absent amount is not zero: the sum of two absent ones stays absent. The first addend keeps its
// text and form, as in the kubelet.
void Add(std::optional<Quantity>& sum, const Quantity* addend) {
  if (addend == nullptr) return;
  if (sum) {
    *sum += *addend;
  } else {
    sum = *addend;
  }
}

const Quantity* AddressOf(const std::optional<Quantity>& amount) {
  return amount ? &*amount : nullptr;
}

void Raise(std::optional<Quantity>& peak, const std::optional<Quantity>& other) {
  if (other && (!peak || *other > *peak)) peak = other;
}

// Containers and side-cars run together; an init container runs beside the side-cars that were
// started before it (KEP-753).
std::optional<Quantity> SumOfContainers(const Pod& pod, Side side, std::string_view resource) {
  std::optional<Quantity> sum;
  for (const Container& container : pod.containers) {
    Add(sum, Find(container.resources.*side, resource));
  }
  std::optional<Quantity> sidecars;
  std::optional<Quantity> start_peak;
  for (const Container& container : pod.init_containers) {
    const Quantity* own = Find(container.resources.*side, resource);
    std::optional<Quantity> at_its_start;
    if (container.IsSidecar()) {
      Add(sum, own);
      Add(sidecars, own);
      at_its_start = sidecars;
    } else {
      Add(at_its_start, own);
      Add(at_its_start, AddressOf(sidecars));
    }
    Raise(start_peak, at_its_start);
  }
  Raise(sum, start_peak);
  return sum;
}

bool MayStandAtPodLevel(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool NamesPodLevelResource(const ResourceList& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const auto& entry) { return MayStandAtPodLevel(entry.first); });
}

bool HasPodLevelResources(const Pod& pod) {
  return pod.resources && (NamesPodLevelResource(pod.resources->requests) ||
                           NamesPodLevelResource(pod.resources->limits));
}

const Quantity* FindAtPodLevel(const Pod& pod, Side side, std::string_view resource) {
  if (!pod.resources || !MayStandAtPodLevel(resource)) return nullptr;
  return Find((*pod.resources).*side, resource);
}

// The form in which the kubelet begins to count; it shows in a sum of zero only.
QuantityFormat FormatOf(std::string_view resource) {
  const bool bytes =
      resource == kMemoryResource || resource == kEphemeralStorageResource || resource == "storage";
  return bytes ? QuantityFormat::kBinarySI : QuantityFormat::kDecimalSI;
}

void AddOverhead(const Pod& pod, std::string_view resource, Quantity& amount) {
  const Quantity* overhead = Find(pod.overhead, resource);
  if (overhead != nullptr && !amount.IsZero()) amount += *overhead;
}

}  // namespace

Quantity EffectiveRequest(const Pod& pod, std::string_view resource) {
  Quantity request = Quantity::Of(0, FormatOf(resource));
  if (HasPodLevelResources(pod)) {
    const Quantity* own = FindAtPodLevel(pod, &ResourceRequirements::requests, resource);
    if (own != nullptr) request += *own;
  } else if (const auto sum = ContainersRequest(pod, resource)) {
    request += *sum;
  }
  AddOverhead(pod, resource, request);
  return request;
}

std::optional<Quantity> EffectiveLimit(const Pod& pod, std::string_view resource) {
  const Quantity* own = FindAtPodLevel(pod, &ResourceRequirements::limits, resource);
  std::optional<Quantity> limit =
      own != nullptr ? *own : SumOfContainers(pod, &ResourceRequirements::limits, resource);
  if (limit) AddOverhead(pod, resource, *limit);
  return limit;
}

std::optional<Quantity> ContainersRequest(const Pod& pod, std::string_view resource) {
  return SumOfContainers(pod, &ResourceRequirements::requests, resource);
}

bool HasPodLevelRequests(const Pod& pod) {
  return pod.resources && NamesPodLevelResource(pod.resources->requests);
}

}  // namespace jettison
