#include "core/pods/pod_requests.h"

namespace jettison {
namespace {

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
