#include "core/model/pod_resources.h"

#include <algorithm>

namespace jettison {
namespace {

// An absent amount is not zero: the sum of two absent amounts is absent.
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

bool NamesPodLevelResource(const ResourceList& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const auto& entry) { return MayStandAtPodLevel(entry.first); });
}

}  // namespace

const Quantity* FindResource(const ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? nullptr : &found->second;
}

std::optional<Quantity> SumOfContainers(const Pod& pod, ResourceSide side,
                                        std::string_view resource) {
  std::optional<Quantity> sum;
  for (const Container& container : pod.containers) {
    Add(sum, FindResource(container.resources.*side, resource));
  }
  std::optional<Quantity> sidecars;
  std::optional<Quantity> start_peak;
  for (const Container& container : pod.init_containers) {
    const Quantity* own = FindResource(container.resources.*side, resource);
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
  return resource == "cpu" || resource == kMemoryResource || resource.starts_with("hugepages-");
}

bool HasPodLevelRequests(const Pod& pod) {
  return pod.resources && NamesPodLevelResource(pod.resources->requests);
}

bool HasPodLevelResources(const Pod& pod) {
  return HasPodLevelRequests(pod) ||
         (pod.resources && NamesPodLevelResource(pod.resources->limits));
}

}  // namespace jettison
