#include "core/model/pod.h"

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

void Raise(std::optional<Quantity>& peak, const std::optional<Quantity>& other) {
  if (other && (!peak || *other > *peak)) peak = other;
}

bool NamesPodLevelResource(const ResourceList& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const auto& entry) { return MayStandAtPodLevel(entry.first); });
}

const Quantity* FindAtPodLevel(const Pod& pod, ResourceSide side, std::string_view resource) {
  if (!pod.resources || !MayStandAtPodLevel(resource)) return nullptr;
  return FindResource((*pod.resources).*side, resource);
}

// The format with which the kubelet begins a sum; it is only visible in a sum of zero.
QuantityFormat FormatOf(std::string_view resource) {
  const bool bytes =
      resource == kMemoryResource || resource == kEphemeralStorageResource || resource == "storage";
  return bytes ? QuantityFormat::kBinarySI : QuantityFormat::kDecimalSI;
}

void AddOverhead(const Pod& pod, std::string_view resource, Quantity& amount) {
  const Quantity* overhead = FindResource(pod.overhead, resource);
  if (overhead != nullptr && !amount.IsZero()) amount += *overhead;
}

}  // namespace

PullPolicy DefaultPullPolicy(std::string_view image) {
  const bool has_digest = image.find('@') != std::string_view::npos;
  image = image.substr(0, image.find('@'));
  // A colon before the last slash belongs to the registry's port.
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  const bool latest = has_tag ? image.substr(colon + 1) == "latest" : !has_digest;
  return latest ? PullPolicy::kAlways : PullPolicy::kIfNotPresent;
}

std::string FullName(const Pod& pod) {
  return pod.namespace_ + "/" + pod.name;
}

std::int64_t GraceSecondsOf(const Pod& pod) {
  constexpr std::int64_t kDefault = 30;
  constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600;
  return std::min(pod.termination_grace_period_seconds.value_or(kDefault), kMost);
}

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
      Add(at_its_start, sidecars ? &*sidecars : nullptr);
    }
    Raise(start_peak, at_its_start);
  }
  Raise(sum, start_peak);
  return sum;
}

bool MayStandAtPodLevel(std::string_view resource) {
  return resource == "cpu" || resource == kMemoryResource || resource.starts_with("hugepages-");
}

bool HasPodLevelResources(const Pod& pod) {
  return pod.resources && (NamesPodLevelResource(pod.resources->requests) ||
                           NamesPodLevelResource(pod.resources->limits));
}

Quantity EffectiveRequest(const Pod& pod, std::string_view resource) {
  constexpr ResourceSide kRequests = &ResourceRequirements::requests;
  Quantity request = Quantity::Of(0, FormatOf(resource));
  if (HasPodLevelResources(pod)) {
    const Quantity* own = FindAtPodLevel(pod, kRequests, resource);
    if (own != nullptr) request += *own;
  } else if (const auto sum = SumOfContainers(pod, kRequests, resource)) {
    request += *sum;
  }
  AddOverhead(pod, resource, request);
  return request;
}

std::optional<Quantity> EffectiveLimit(const Pod& pod, std::string_view resource) {
  constexpr ResourceSide kLimits = &ResourceRequirements::limits;
  const Quantity* own = FindAtPodLevel(pod, kLimits, resource);
  std::optional<Quantity> limit = own != nullptr ? *own : SumOfContainers(pod, kLimits, resource);
  if (limit) AddOverhead(pod, resource, *limit);
  return limit;
}

}  // namespace jettison
