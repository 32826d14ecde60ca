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
  bool compressible_only = false;  // only CPU (enforceNodeAllocatable has "...-compressible")
  friend bool operator==(const EnforcedReservation&, const EnforcedReservation&) = default;
};

// What is reserved from pods, and whether control group limits enforce it.
struct NodeReservation {
  ResourceList kube_reserved;    // "cpu", "memory", "ephemeral-storage", "pid"
  ResourceList system_reserved;  // the same
  bool enforce_pods = true;      // enforceNodeAllocatable has "pods": their group gets a limit
  std::optional<EnforcedReservation> kube_enforced = std::nullopt;    // kubeReservedCgroup
  std::optional<EnforcedReservation> system_enforced = std::nullopt;  // systemReservedCgroup
};

// Node allocatable, the most that the requests of all pods may sum up to: every resource in
// `capacity` less both reservations and, for memory and ephemeral-storage, less the hard eviction
// threshold; never below zero. `thresholds` are the configured ones; a percentage is a share of the
// capacity. Without thresholds it is the limit of the pods' group: there, the eviction threshold is
// not subtracted, so that allocatableMemory.available is crossed before the kernel's limit is
// reached.
// Source: cm.containerManagerImpl.GetNodeAllocatableReservation, getNodeAllocatableAbsolute (1.36).
[[nodiscard]] ResourceList NodeAllocatable(const ResourceList& capacity,
                                           const NodeReservation& reservation,
                                           const std::vector<Threshold>& thresholds);

}  // namespace jettison
