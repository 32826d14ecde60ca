#pragma once

#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/model/profile.h"
#include "core/model/signal.h"

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

}  // namespace jettison
