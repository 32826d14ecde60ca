#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/choices.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

// Whether one of the pod's tolerations covers the taint of memory pressure, whose effect is
// NoSchedule and which has no value. An empty key or effect covers every one; the operator Exists
// covers every value, Equal (or none) the same value. Gt, Lt and unknown operators never match.
// Source: core/v1 Toleration.ToleratesTaint (1.36).
[[nodiscard]] bool ToleratesMemoryPressure(const Pod& pod);

// Whether a pod may start now; the texts are empty when it may.
struct AdmissionAnswer {
  bool admit = true;
  std::string reason;       // "Evicted"
  std::string message;      // "The node had condition: [DiskPressure MemoryPressure]. "
  std::string refused_for;  // "DiskPressure, MemoryPressure"
  friend bool operator==(const AdmissionAnswer&, const AdmissionAnswer&) = default;
};

// Decides whether a pod may start on a node with these conditions. Without conditions every pod
// may; critical pods always may. If MemoryPressure is the only condition, pods that are not
// BestEffort may, and so may BestEffort pods that tolerate the taint of memory pressure. Other pods
// may not.
// Source: pkg/kubelet/eviction, managerImpl.Admit (1.36).
[[nodiscard]] AdmissionAnswer Admit(const Pod& pod, NodeConditions conditions, Profile profile);

// An evicted pod that waits to be started again.
struct WaitingPod {
  std::string_view name;  // "namespace/name"
  std::int32_t priority = 0;
  Instant due;            // the end of its back-off
  bool admitted = false;  // admission would let it in now
};

// The evicted pod that is started again next, when its back-off is over: one of the highest waiting
// priority that admission accepts; among several, the one whose back-off ends first, then by name.
// A pod of lower priority waits while one of higher priority is in its back-off or refused. Absent:
// no change of time alone brings one.
[[nodiscard]] std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting);

// The resources that limit how many pods fit on the node, by their requests.
inline constexpr std::array<std::string_view, 3> kSharedResources = {"cpu", "memory",
                                                                     "ephemeral-storage"};

// An amount of each of kSharedResources: cores and bytes, in billionths.
using SharedAmounts = std::array<Nanos, kSharedResources.size()>;

// The requests of a pod as the kubelet counts them for the node: the pod-level request, or else the
// sum of its containers, plus the overhead.
// Source: component-helpers/resource, PodRequests (1.36).
[[nodiscard]] SharedAmounts RequestsOf(const Pod& pod);

// A pod that takes up resources of the node.
struct Occupant {
  SharedAmounts requests{};
  std::int32_t priority = 0;
  bool ending = false;  // it is ending, so its resources will be free
  bool stays = false;   // it cannot be preempted: not created yet, or foreign
};

// The resource that a pod requests in vain, with the kubelet's reason and message.
struct Shortage {
  std::size_t resource = 0;  // in kSharedResources
  Nanos requested = 0;
  Nanos used = 0;      // by pods that it cannot preempt
  Nanos capacity = 0;  // node allocatable

  [[nodiscard]] std::string Reason() const;   // "OutOfmemory"
  [[nodiscard]] std::string Message() const;  // "Node didn't have enough resource: memory, ..."
};

// Whether a pod fits on the node, and what has to end before.
struct Room {
  bool free = false;                  // it fits now
  std::vector<std::size_t> give_way;  // occupants to be preempted, so that it will fit
  std::size_t scarce = 0;             // what they are preempted for, in kSharedResources
  std::optional<Shortage> shortage;   // present: it cannot fit, even after preemption

  // Whether the pod will fit when ending and preempted pods are gone.
  [[nodiscard]] bool Awaited() const { return !free && !shortage; }
};

// Whether a pod with these requests and this priority fits beside the occupants of a node with
// `allocatable` (absent: unlimited). Pods of lower priority are preempted, as few as necessary: the
// lowest priorities first and, among equals, those listed last. A resource that the pod does not
// request is not checked. (kubelet: GeneralPredicates; there, only critical pods preempt others)
[[nodiscard]] Room RoomFor(std::span<const Occupant> occupants, std::int32_t priority,
                           const SharedAmounts& requests,
                           const std::optional<SharedAmounts>& allocatable);

}  // namespace jettison
