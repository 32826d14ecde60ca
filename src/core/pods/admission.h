#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/model/profile.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// Whether the toleration covers the taint of a condition (TaintOf), whose effect is NoSchedule and
// which has no value. An empty key or effect covers every one; the operator Exists covers every
// value, Equal (or none) the same value. Gt and Lt compare numbers: they never match here. Neither
// does an unknown operator. Source: core/v1 Toleration.ToleratesTaint (1.36).
[[nodiscard]] bool Tolerates(const Toleration& toleration, NodeConditionType type);

// Whether one of the pod's tolerations covers the taint of memory pressure.
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

}  // namespace jettison
