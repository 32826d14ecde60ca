#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/pod.h"
#include "core/model/threshold.h"

namespace jettison {

// A group of the system that is limited to what is reserved for it.
struct EnforcedReservation {
  std::string group;               // below the node's own: "system.slice"
  bool compressible_only = false;  // of CPU alone (enforceNodeAllocatable has "...-compressible")
};

// What is kept from pods, and whether the kernel is asked to see to it.
struct NodeReservation {
  ResourceList kube_reserved;    // "cpu", "memory", "ephemeral-storage", "pid"
  ResourceList system_reserved;  // the same
  bool enforce_pods = true;      // enforceNodeAllocatable has "pods": their group gets a limit
  std::optional<EnforcedReservation> kube_enforced = std::nullopt;    // kubeReservedCgroup
  std::optional<EnforcedReservation> system_enforced = std::nullopt;  // systemReservedCgroup
};

// What pods may ask for together: of every resource in `capacity`, what is left after both
// reservations and, for memory and ephemeral-storage, the hard eviction threshold; never below
// zero. `thresholds` are the configured ones; a percentage counts of the capacity.
// Source: cm.containerManagerImpl.GetNodeAllocatableReservation (1.36).
[[nodiscard]] ResourceList NodeAllocatable(const ResourceList& capacity,
                                           const NodeReservation& reservation,
                                           const std::vector<Threshold>& thresholds);

// What the pods' group is limited to: capacity less both reservations, the eviction threshold not
// taken off, so that allocatableMemory.available is crossed before the kernel's limit is hit.
// Source: cm.containerManagerImpl.getNodeAllocatableAbsolute (1.36).
[[nodiscard]] ResourceList PodsLimit(const ResourceList& capacity,
                                     const NodeReservation& reservation);

}  // namespace jettison
