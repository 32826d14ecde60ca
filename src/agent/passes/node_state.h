#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agent/passes/eviction_pacing.h"
#include "agent/passes/node_dependencies.h"
#include "agent/schedule/measured_pods.h"
#include "agent/schedule/signal_trends.h"
#include "agent/state/agent_state.h"
#include "apply/pass.h"
#include "core/decide/holders.h"
#include "core/evaluate/evaluate.h"
#include "core/model/eviction.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "view/histories.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// The policies of passes: the whole policy for passes with measured disk use, and one without
// storage limits for passes without. While evicted pods are awaited only hard thresholds may act,
// so that a soft one must not stand before them, nor storage limits. All are immutable, because
// recorded passes refer to them.
class PassPolicies {
 public:
  explicit PassPolicies(PassPolicy policy);

  [[nodiscard]] const PassPolicy& operator*() const { return *full_; }
  [[nodiscard]] const PassPolicy* operator->() const { return full_.get(); }
  // `awaits`: evicted pods are awaited.
  [[nodiscard]] const std::shared_ptr<const PassPolicy>& For(PassKind kind, bool awaits) const {
    if (awaits) return in_wait_;
    return kind == PassKind::kFull ? full_ : watch_;
  }

  // The thresholds, and the kubelet's lines below them as thresholds of their own: crossing one of
  // them is noticed alike.
  [[nodiscard]] const std::vector<Threshold>& lines() const { return lines_; }

  // Whether anybody looks at what the pods have on disk.
  [[nodiscard]] bool NeedDiskUse() const;

 private:
  std::shared_ptr<const PassPolicy> full_;
  std::shared_ptr<const PassPolicy> watch_;
  std::shared_ptr<const PassPolicy> in_wait_;
  std::vector<Threshold> lines_;
};

// The state of a node between two passes, from which the next pass starts and which a restart of
// the agent must keep.
struct NodeStanding {
  EvictionState state;
  std::array<Instant, kNodeConditionCount> condition_changed_at;
};

// What the passes of a node leave behind for onlookers.
struct PassRecord {
  std::uint64_t count = 0;                  // of passes finished since the start
  std::shared_ptr<const CycleReport> last;  // null before the first pass
  // Of the memory, and of a disk that is short, as of the last pass that read the pods.
  std::vector<Holders> holders;
  MeasuredPods pods;
  PassHistory passes;
  SignalHistory signals;
};

// What is known of a node between two passes.
struct NodeState {
  PassPolicies policies;
  EvictionPacing pacing;
  NodeStanding standing = {};
  Summary summary = {};  // as last read
  // Of the last pass that has read pods. Where it acted for a soft threshold, the pods that were
  // spared are protected copies, so that nobody need treat them specially.
  std::vector<SharedPodFacts> pods = {};
  std::vector<SparedPod> spared = {};
  PassRecord record = {};

  // What a pass of this kind decides by now.
  [[nodiscard]] const std::shared_ptr<const PassPolicy>& PolicyOf(PassKind kind) const {
    return policies.For(kind, pacing.awaits());
  }
};

[[nodiscard]] std::vector<const PodFacts*> PointersTo(std::span<const SharedPodFacts> pods);

// The standing in a form that outlives the agent. `thresholds` are those that its state belongs to;
// they are told by their text, since the next agent may have others.
[[nodiscard]] SavedNode SavedOf(const NodeStanding& standing,
                                std::span<const Threshold> thresholds);

// Goes on from what an agent before has kept, as far as it belongs to a threshold of now.
void Resume(const SavedNode& kept, std::span<const Threshold> thresholds, NodeStanding& standing);

// Whether both states are kept as the same, apart from the passing of time.
[[nodiscard]] bool IsSavedAlike(const EvictionState& a, const EvictionState& b);

// The snapshot of a node for onlookers; the caller adds the NodeIdentity. `next_by_clock` as in
// PaceInput.
[[nodiscard]] Snapshot SnapshotOf(const NodeState& node, const SignalTrends& trends,
                                  const NodeDependencies& dependencies, Instant next_by_clock);

}  // namespace jettison
