#include "core/config/agent_config.h"

#include <utility>

#include "core/config/settings.h"
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

void Compare(Takes takes, std::string name, auto& running, const auto& read,
             ConfigChanges& changes) {
  if (running == read) return;
  const bool at_once = takes == Takes::kAtOnce;
  (at_once ? changes.at_once : changes.need_restart).push_back(std::move(name));
  if (at_once) running = read;
}

template <typename Rows, typename Owner>
void CompareAll(const Rows& rows, const std::string& before, Owner& running, const Owner& read,
                ConfigChanges& changes) {
  ForEach(rows, [&]<typename Row>(const Row& row) {
    const std::string name = before + std::string(row.name);
    if constexpr (IsSetting<Row>) {
      Compare(row.takes, name, running.*row.value, read.*row.value, changes);
    } else {
      CompareAll(row.rows, row.name.empty() ? before : name + ".", running.*row.part,
                 read.*row.part, changes);
    }
  });
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

ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read) {
  ConfigChanges changes;
  AgentConfig& now = changes.config = running;
  // The copy of a threshold for the group of all pods belongs to the group's limit.
  const bool limits_alike = running.reservation.enforce_pods == read.reservation.enforce_pods;
  Compare(limits_alike ? Takes::kAtOnce : Takes::kRestart, "eviction thresholds",
          now.eviction.thresholds, read.eviction.thresholds, changes);
  Compare(Takes::kAtOnce, "threshold on memory of its own", now.own_memory_threshold,
          read.own_memory_threshold, changes);
  CompareAll(kKubeletSettings, "", now, read, changes);
  CompareAll(kJettisonSettings, "", now, read, changes);
  return changes;
}

}  // namespace jettison
