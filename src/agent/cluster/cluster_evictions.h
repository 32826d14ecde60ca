#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
  // Whether the pod's eviction is under way, or was over just now, so that an older list may still
  // have the pod.
  [[nodiscard]] bool IsEvicted(std::string_view uid) const;
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
  using Evictions = std::map<std::uint64_t, Eviction>;  // in the order in which they began

  // Whether the eviction was begun before the machine was restarted. It is dropped then.
  [[nodiscard]] bool DropOfEarlierBoot(const kube::EvictionIntent& intent);
  void Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
           Instant evicted_at, Instant delete_due);
  [[nodiscard]] bool IsUnderWay(std::string_view uid) const;
  void Ask(std::uint64_t eviction, const std::string& uid, kube::EvictionCall call);
  void Take(std::uint64_t eviction, kube::CallPurpose purpose, const kube::Outcome& outcome);
  void EndIfOver(Evictions::iterator at);

  ClusterCaller caller_;
  IsSettled taint_is_settled_;
  OnOver on_over_;
  Evictions evictions_;
  std::uint64_t next_id_ = 1;
  std::map<std::string, Instant, std::less<>> over_;  // deleted pods by UID, and since when
  StateChanges changes_;
};

}  // namespace jettison
