#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/cluster/notify/cluster_caller.h"
#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/evictions/pod_eviction.h"

namespace jettison {

// What ClusterEvictions works with; everything must outlive it.
struct ClusterEvictionDependencies {
  kube::Cluster& cluster;
  const Clock& clock;
  const Log& log;
  // NodeReporter::Urge and IsSettled.
  std::function<void(NodeConditionType, Instant)> urge_taint;
  std::function<bool(NodeConditionType)> taint_is_settled;
  // Called for each unfinished eviction of an earlier run, which is continued.
  std::function<void(const kube::EvictionIntent&)> on_found;
  // Called when an eviction is over for the API server.
  std::function<void(const kube::EvictionIntent&, kube::EvictionEnd)> on_over;
};

// Reports each evicted pod to the API server until that has succeeded, in this run of the agent or
// a later one. Nothing here waits.
class ClusterEvictions {
 public:
  // The most calls at a time, so that the API server is not overloaded when a thousand pods are
  // evicted at once. It is enough for the DELETEs of ten evictions a second.
  static constexpr std::size_t kMostCalls = 8;
  // Of pods that are deleted: a list that is older than that may still have them.
  static constexpr std::size_t kMostRemembered = 1000;
  explicit ClusterEvictions(const ClusterEvictionDependencies& dependencies);

  // The pod has just been told to end; `condition`: the node condition that it is evicted for. The
  // first calls are made at once. A pod whose eviction is under way is ignored.
  void Begin(kube::EvictionIntent intent, std::optional<NodeConditionType> condition, Instant now);
  // Whether the pod was evicted, so that it must not be chosen again.
  [[nodiscard]] bool IsEvicted(std::string_view uid) const {
    return IsUnderWay(uid) || std::ranges::find(remembered_, uid) != remembered_.end();
  }

  // Takes the unfinished evictions of an earlier run, which the first Advance takes up.
  void Resume(std::vector<kube::EvictionIntent> earlier) { earlier_ = std::move(earlier); }
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

  // Takes up the evictions of an earlier run of the agent.
  void TakeUpEarlier(Instant now);
  // Whether the eviction was begun before the machine was restarted. It is dropped then.
  [[nodiscard]] bool DropOfEarlierBoot(const kube::EvictionIntent& intent);
  void Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
           Instant evicted_at, Instant delete_due);
  [[nodiscard]] bool IsUnderWay(std::string_view uid) const;
  void SettleTaints(Instant now);
  void Drive(Instant now);
  [[nodiscard]] bool HasRoom() const;
  [[nodiscard]] Evictions::iterator MostUrgent(Instant now);
  void Ask(std::uint64_t eviction, const std::string& uid, kube::EvictionCall call);
  void Take(std::uint64_t call, std::uint64_t eviction, kube::CallPurpose purpose,
            const kube::Outcome& outcome);
  void EndIfOver(Evictions::iterator at);

  ClusterEvictionDependencies dependencies_;
  Evictions evictions_;
  std::uint64_t next_id_ = 1;
  std::set<std::uint64_t> under_way_;          // calls
  std::deque<std::string> remembered_;         // UIDs of pods whose eviction is over
  std::vector<kube::EvictionIntent> earlier_;  // that are not taken up yet
  StateChanges changes_;
  ClusterCaller caller_;
};

}  // namespace jettison
