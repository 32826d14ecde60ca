#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "agent/state/agent_state.h"
#include "agent/workers/backoff.h"
#include "agent/workers/pod_worker.h"
#include "core/pods/admission.h"
#include "core/pods/pod_facts.h"
#include "view/snapshot.h"

namespace jettison {

// Of a pod that is out: Failed, for this reason.
[[nodiscard]] PodStatus FailedStatus(const std::string& reason, const std::string& message);

// A slot's pod while nothing of it is on the node.
struct NotHere {
  PodStatus status = {};                                // default: admission has not been asked
  std::optional<Instant> comes_back_at = std::nullopt;  // it was evicted, and is in its back-off
  std::string refused_for = {};                         // "MemoryPressure": it may not start
  bool awaits_room = false;                             // others are ending to make room for it
};
struct OnNode {  // something of it is on the node
  std::shared_ptr<const PodFacts> facts;
  std::unique_ptr<PodWorker> worker;
  Instant started_at;
  // Set: it was evicted by an earlier agent, and its back-off is over then.
  std::optional<Instant> comes_back_at = std::nullopt;
};

// The place of one namespace and name.
struct PodSlot {
  std::shared_ptr<const PodFacts> wanted;  // null: it is not wanted
  std::variant<NotHere, OnNode> state;
  Backoff come_back;
  int evictions = 0;
  int oom_kills = 0;          // of its containers, by the kernel
  bool returns = false;       // it ran here, and starts again under the same UID
  bool foreign = false;       // a foreign pod
  bool kill_at_once = false;  // RuntimePod::kill_at_once

  explicit PodSlot(const BackoffRule& rule) : come_back(rule) {}

  // Null: nothing of it is on the node.
  [[nodiscard]] const OnNode* on_node() const { return std::get_if<OnNode>(&state); }
  [[nodiscard]] OnNode* on_node() { return std::get_if<OnNode>(&state); }
  [[nodiscard]] PodWorker* worker() const { return on_node() ? on_node()->worker.get() : nullptr; }
  // Null: it is on the node.
  [[nodiscard]] const NotHere* not_here() const { return std::get_if<NotHere>(&state); }
  // Set: it was evicted and is not back.
  [[nodiscard]] std::optional<Instant> comes_back_at() const {
    return not_here() ? not_here()->comes_back_at : std::nullopt;
  }
  [[nodiscard]] bool AwaitsRoom() const { return not_here() && not_here()->awaits_room; }
  // The facts of the pod on the node, or else of the wanted pod; null: there is neither.
  [[nodiscard]] const std::shared_ptr<const PodFacts>& facts() const {
    return on_node() ? on_node()->facts : wanted;
  }
  // The present status; default values if admission has not been asked yet.
  [[nodiscard]] PodStatus Status(Instant now) const {
    return on_node() ? on_node()->worker->Status(now) : not_here()->status;
  }
  [[nodiscard]] PodView View(Instant now) const;
  // Whether the pod takes up room where one of this priority is to start. Room that a pod awaits is
  // reserved for it, but not from pods that would preempt it as soon as it has started.
  [[nodiscard]] bool TakesUpRoom(std::int32_t priority) const;
  [[nodiscard]] Occupant AsOccupant() const;
  // What the next agent needs of it; absent: nothing.
  [[nodiscard]] std::optional<SavedPod> Saved(const std::string& name) const;
  // Restores the absence of a pod that an earlier agent has evicted, and of which nothing is left
  // on the node. False: it was not evicted.
  bool ResumeAbsence(const SavedPod& kept, Instant now);
};

}  // namespace jettison
