#include "core/config/agent_config.h"
#include "core/model/pod.h"

namespace jettison {
namespace {

Quantity AmountIn(const ResourceList& list, std::string_view resource) {
  const Quantity* found = FindResource(list, resource);
  return found == nullptr ? Quantity() : *found;
}

Quantity NeverNegative(const Quantity& amount) {
  return amount.Sign() < 0 ? Quantity() : amount;
}

// How much of a resource hard eviction keeps free; zero if nothing. The first threshold counts:
// those of evictionHard come before soft ones without grace period.
Quantity EvictionReservation(std::string_view resource, const Quantity& capacity,
                             const std::vector<Threshold>& thresholds) {
  for (const Threshold& threshold : thresholds) {
    const bool counts =
        (threshold.signal == Signal::kMemoryAvailable && resource == "memory") ||
        (threshold.signal == Signal::kNodeFsAvailable && resource == "ephemeral-storage");
    if (counts && threshold.IsHard())
      return NeverNegative(QuantityOf(threshold.value, capacity.Value()));
  }
  return {};
}

}  // namespace

ResourceList NodeAllocatable(const ResourceList& capacity, const NodeReservation& reservation,
                             const std::vector<Threshold>& thresholds) {
  ResourceList allocatable;
  for (const auto& [resource, amount] : capacity) {
    const Quantity left = amount - AmountIn(reservation.kube_reserved, resource) -
                          AmountIn(reservation.system_reserved, resource) -
                          EvictionReservation(resource, amount, thresholds);
    allocatable.emplace(resource, NeverNegative(left));
  }
  return allocatable;
}

}  // namespace jettison
