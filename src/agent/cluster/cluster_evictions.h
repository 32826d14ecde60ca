#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cluster/cluster_caller.h"
#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/evictions/pod_eviction.h"

namespace jettison {

// Reports each evicted pod to the API server until that has succeeded, in this run of the agent or
// a later one. Nothing here waits.
class ClusterEvictions {
 public:
  // The most calls at a time, so that the API server is not overloaded when a thousand pods are
  // evicted at once. It is enough for the DELETEs of ten evictions a second.
  static constexpr std::size_t kMostCalls = 8;
  // Of pods that are deleted: a list that is older than that may still have them.
  static constexpr std::size_t kMostRemembered = 1000;
  // What the API server tells of a pod for so long after it has confirmed the deletion may be older
  // than that.
  static constexpr Duration kMayBeOld = std::chrono::seconds(10);

  // NodeReporter::IsSettled.
  using IsSettled = std::function<bool(NodeConditionType)>;
  // Called when an eviction is over for the API server.
  using OnOver = std::function<void(const kube::EvictionIntent&, kube::EvictionEnd)>;
  ClusterEvictions(const ClusterAccess& access, IsSettled taint_is_settled, OnOver on_over);

  // The pod has just been told to end; `condition`: the node condition that it is evicted for,
  // whose taint is on its way. The first calls are made at once. A pod whose eviction is under way
  // is ignored.
  void Begin(kube::EvictionIntent intent, std::optional<NodeConditionType> condition, Instant now);
  // Whether the pod was evicted, so that it must not be chosen again.
  [[nodiscard]] bool IsEvicted(std::string_view uid) const;
  // The API server has the pod, and does not delete it. Where it had confirmed that, it has lost
  // it, as with a store that was set back, and is told again.
  void DeleteAgain(std::string_view uid, Instant now);
  // Goes on with the unfinished evictions of an earlier run, with the next Advance. Returns those
  // with which it does.
  [[nodiscard]] std::vector<kube::EvictionIntent> Resume(std::vector<kube::EvictionIntent> earlier,
                                                         Instant now);

  // Does what is due by now. Must be called when an answer to any call has arrived, and at
  // NextDeadline.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  // The unfinished evictions, for a later run.
  [[nodiscard]] std::vector<kube::EvictionIntent> Unfinished() const;
  // Of Unfinished.
  [[nodiscard]] StateChanges changes() const { return changes_; }
  // Number of unfinished evictions.
  [[nodiscard]] std::size_t size() const { return evictions_.size(); }

 private:
  struct Eviction {
    kube::PodEviction steps;
    std::optional<NodeConditionType> condition;
  };
  struct Over {
    kube::EvictionIntent intent;
    Instant since;
  };
  using Evictions = std::map<std::uint64_t, Eviction>;  // in the order in which they began

  // Whether the eviction was begun before the machine was restarted. It is dropped then.
  [[nodiscard]] bool DropOfEarlierBoot(const kube::EvictionIntent& intent);
  void Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
           Instant evicted_at, Instant delete_due);
  [[nodiscard]] bool IsUnderWay(std::string_view uid) const;
  [[nodiscard]] std::deque<Over>::const_iterator FindOver(std::string_view uid) const;
  [[nodiscard]] bool HasRoom() const;
  [[nodiscard]] Evictions::iterator MostUrgent(Instant now);
  void Ask(std::uint64_t eviction, const std::string& uid, kube::EvictionCall call);
  void Take(std::uint64_t call, std::uint64_t eviction, kube::CallPurpose purpose,
            const kube::Outcome& outcome);
  void EndIfOver(Evictions::iterator at);

  ClusterCaller caller_;
  IsSettled taint_is_settled_;
  OnOver on_over_;
  Evictions evictions_;
  std::uint64_t next_id_ = 1;
  std::set<std::uint64_t> under_way_;  // calls
  std::deque<Over> remembered_;
  StateChanges changes_;
};

}  // namespace jettison
