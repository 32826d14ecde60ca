#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/container_record.h"
#include "core/units/duration.h"

namespace jettison {

// The parts of a v1.PodStatus that a node agent keeps, with the names of the Kubernetes API.

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed };
// "Pending", "Running", "Succeeded", "Failed".
[[nodiscard]] std::string_view NameOf(PodPhase phase);

// What a container waits for: reason "PodInitializing", "ContainerCreating", "CrashLoopBackOff",
// or that of a start that failed (ReasonOf).
struct ContainerWaiting {
  std::string reason;
  std::string message;
};
struct ContainerRunning {
  Instant started_at;
};
struct ContainerTerminated {
  ContainerExit exit;
  std::string start_error = {};  // why its program could not be run; empty: it ran
};
using ContainerState = std::variant<ContainerWaiting, ContainerRunning, ContainerTerminated>;

// "Completed" after exit code 0, "OOMKilled" where the kernel's OOM killer struck, else "Error".
[[nodiscard]] std::string_view TerminationReason(const ContainerExit& exit);

struct ContainerStatus {
  std::string name;
  bool init = false;  // an init container; sidecars are init containers too
  ContainerState state = ContainerWaiting{.reason = "ContainerCreating", .message = {}};
  std::optional<ContainerExit> last_state;  // how the run before this one ended
  int restart_count = 0;
  bool ready = false;  // it runs, or it is an init container that has completed
};

struct PodCondition {
  std::string type;  // "Initialized", "ContainersReady", "Ready", "DisruptionTarget"
  bool status = false;
  std::string reason;  // may be empty
  std::string message;
  Instant last_transition;
};

struct PodStatus {
  PodPhase phase = PodPhase::kPending;
  std::string reason;   // "Evicted"; empty where there is nothing special
  std::string message;  // of the eviction or of the refusal
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> containers;  // init containers first, each in the order of the spec
  std::optional<Instant> start_time;        // when the pod was admitted

  // The condition of that type; null where the pod has none.
  [[nodiscard]] const PodCondition* Find(std::string_view type) const;
  // Sets a condition; its time of transition moves only when its status does.
  void Set(PodCondition condition);
};

}  // namespace jettison
