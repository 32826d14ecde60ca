#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_writer.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::kube {

// What names an object of the API, and a state of it.
struct ObjectHead {
  std::string namespace_;  // empty for what belongs to none, as a node
  std::string name;
  std::string uid;               // of this object and of no other that ever had its name
  std::string resource_version;  // of this state
  friend bool operator==(const ObjectHead&, const ObjectHead&) = default;
};

// Which of two resource versions is the newer one. They are decimal numbers of any length
// (KEP-5504); absent where one is not, since such versions cannot be compared.
[[nodiscard]] std::optional<std::strong_ordering> CompareVersions(std::string_view a,
                                                                  std::string_view b);

// Writes a value as the JSON that it was read from, but for blanks.
void WriteValue(const Value& value, JsonWriter& json);

// What holds of an object (`status.conditions`).
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<Instant> since;  // lastTransitionTime
  friend bool operator==(const Condition&, const Condition&) = default;
};

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

// Reads a core/v1 Pod. kInvalidArgument where it has no name, UID or resource version; what
// else is wrong is in `faults`.
[[nodiscard]] Result<ApiPod> ReadApiPod(const Value& document);

// What keeps pods off a node (`spec.taints`).
struct Taint {
  std::string key;
  std::string effect;  // "NoSchedule", "PreferNoSchedule", "NoExecute"
  std::string json;  // all of it as JSON, with what is not known here: it is written back as it was
  friend bool operator==(const Taint&, const Taint&) = default;
};

// A node as the API server has it.
struct ApiNode {
  ObjectHead head;
  std::vector<Taint> taints;
  std::vector<Condition> conditions;
  std::string kubelet_version;    // "v1.36.2"
  std::string internal_ip;        // the first; empty: none is told
  std::int64_t kubelet_port = 0;  // where its kubelet answers; 0: not told
};

// "https://192.0.2.2:10250"; empty where the node does not tell where its kubelet answers.
[[nodiscard]] std::string KubeletUrlOf(const ApiNode& node);

// Reads the JSON text of a core/v1 Node; errors as of ReadApiPod.
[[nodiscard]] Result<ApiNode> ReadApiNode(std::string_view json);

}  // namespace jettison::kube
