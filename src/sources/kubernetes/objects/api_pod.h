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

// Who an object belongs to (`metadata.ownerReferences`).
struct OwnerReference {
  std::string api_version;
  std::string kind;  // "ReplicaSet", "DaemonSet", "Job", "Node"
  std::string name;
  std::string uid;
  bool is_controller = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// What the kubelet last told of a container.
struct ContainerStatus {
  enum class Role : std::uint8_t { kInit, kMain, kEphemeral };
  enum class State : std::uint8_t { kWaiting, kRunning, kTerminated };
  Role role = Role::kMain;
  std::string name;
  std::string runtime;  // "containerd"; empty with the ID
  std::string id;       // without "containerd://"; empty before it was made
  State state = State::kWaiting;
  std::optional<Instant> started_at;  // of one that is running
  std::int32_t restarts = 0;
  bool is_ready = false;
  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

// A pod as the API server has it.
struct ApiPod {
  ObjectHead head;
  // Its name, namespace and UID are those of `head`. While a resize is pending, its resources are
  // those that the kubelet has allocated.
  Pod pod;
  std::string node_name;  // empty: not scheduled
  std::vector<OwnerReference> owners;
  std::optional<Instant> created;
  std::optional<Instant> deleted;  // deletionTimestamp: when it has to be gone
  std::optional<std::int64_t> deletion_grace_seconds;
  std::string phase;  // "Pending", "Running", "Succeeded", "Failed"; empty: not told yet
  std::string reason;
  std::string message;
  std::vector<Condition> conditions;
  std::vector<ContainerStatus> containers;
  // Fields that could not be understood. Such a pod is known by its head; what else is there is not
  // enough to rank it by.
  Faults faults;

  // The owner that makes another in its place; null where there is none.
  [[nodiscard]] const OwnerReference* Controller() const;
  // Whether it only mirrors a static pod of the kubelet: to delete it ends nothing.
  [[nodiscard]] bool IsMirror() const;
  // Whether it has ended for good.
  [[nodiscard]] bool IsTerminal() const { return phase == "Succeeded" || phase == "Failed"; }
};

// Reads a core/v1 Pod. kInvalidArgument where it cannot be told which pod it is (ReadHead); what
// else is wrong is in `faults`.
[[nodiscard]] Result<ApiPod> ReadApiPod(const Value& document);

}  // namespace jettison::kube
