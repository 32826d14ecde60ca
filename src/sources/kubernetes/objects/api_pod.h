#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/value.h"
#include "core/units/duration.h"
#include "sources/kubernetes/objects/api_object.h"

namespace jettison::kube {

// The annotation of an object that only mirrors a static pod of the kubelet: the hash of its
// manifest.
inline constexpr const char* kMirrorAnnotation = "kubernetes.io/config.mirror";

// What the kubelet last told of a container.
struct ContainerStatus {
  std::string name;
  std::string id;             // without "containerd://"; empty before it was made
  bool is_ephemeral = false;  // kubectl debug
  std::int32_t restarts = 0;
  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

// A pod as the API server has it.
struct ApiPod {
  ObjectHead head;
  // Its name, namespace and UID are those of `head`. While a resize is pending, its resources are
  // those that the kubelet has allocated.
  Pod pod;
  // "ReplicaSet", "DaemonSet", "Job", "Node": the owner that makes another in its place; empty:
  // none.
  std::string controller_kind;
  std::optional<Instant> deleted;  // deletionTimestamp: when it has to be gone
  std::string phase;  // "Pending", "Running", "Succeeded", "Failed"; empty: not told yet
  std::string reason;
  std::string message;
  std::vector<Condition> conditions;
  std::vector<ContainerStatus> containers;
  // Fields that could not be understood. Such a pod is known by its head; what else is there is not
  // enough to rank it by.
  Faults faults;

  // Whether it only mirrors a static pod of the kubelet: to delete it ends nothing.
  [[nodiscard]] bool IsMirror() const { return pod.annotations.contains(kMirrorAnnotation); }
  // Whether it has ended for good.
  [[nodiscard]] bool IsTerminal() const { return phase == "Succeeded" || phase == "Failed"; }
};

// Reads a core/v1 Pod. kInvalidArgument where it cannot be told which pod it is (ReadHead); what
// else is wrong is in `faults`.
[[nodiscard]] Result<ApiPod> ReadApiPod(const Value& document);

}  // namespace jettison::kube
