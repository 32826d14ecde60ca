#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "agent/state/agent_state.h"
#include "agent/workers/backoff.h"
#include "agent/workers/pod_worker.h"
#include "core/pods/pod_facts.h"
#include "view/pod_status.h"

namespace jettison {

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
};

// The slots of all pods, by namespace and name.
class PodSlots {
 public:
  using Map = std::map<std::string, PodSlot, std::less<>>;

  // `come_back_rule`: of evicted pods.
  explicit PodSlots(const BackoffRule& come_back_rule) : come_back_rule_(come_back_rule) {}

  [[nodiscard]] Map& all() { return slots_; }
  [[nodiscard]] const Map& all() const { return slots_; }
  [[nodiscard]] const BackoffRule& come_back_rule() const { return come_back_rule_; }
  // Makes the slot where there is none.
  [[nodiscard]] PodSlot& At(const std::string& name);
  // The slot of the pod on the node with this UID; null: it is not on the node.
  [[nodiscard]] PodSlot* OfPod(std::string_view uid);
  [[nodiscard]] const PodSlot* OfPod(std::string_view uid) const;
  // The runtime finds a foreign pod again under another UID when a pod of this agent takes
  // it.
  void LoseForeign(std::string_view uid);
  // Erases slots without a pod.
  void EraseEmpty();

  // Remembers the name of a foreign pod that is gone, for later reports about it.
  void NoteGone(const Pod& pod);
  // "namespace/name" of a foreign pod that was gone recently; empty: it is not known.
  [[nodiscard]] std::string NameOfGone(std::string_view uid) const;

  // The wanted pods have been reported for the first time.
  void NoteSources() { sources_ready_ = true; }
  [[nodiscard]] bool sources_ready() const { return sources_ready_; }
  // Counts a change of the state that is kept for the next agent.
  void NoteChange() { ++changes_; }
  void NoteEviction() {
    NoteChange();
    ++evictions_;
  }
  [[nodiscard]] StateChanges changes() const { return {.all = changes_, .evictions = evictions_}; }

 private:
  BackoffRule come_back_rule_;
  Map slots_;
  std::deque<std::pair<std::string, std::string>> gone_;  // UID and name, the newest last
  bool sources_ready_ = false;
  std::uint64_t changes_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace jettison
