#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cluster/cluster_caller.h"
#include "agent/dependencies/dependencies.h"
#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/evictions/pod_eviction.h"
#include "sources/kubernetes/evictions/soft_eviction_book.h"

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

// What ClusterSoftEvictions works with; everything must outlive it.
struct ClusterSoftEvictionDependencies {
  ClusterAccess access;
  EventLog& events;
  std::function<std::string(std::string_view uid)> name_of_pod;  // "namespace/name"
  // Whether the pod must not be asked to end, as the kubelet would.
  std::function<bool(std::string_view uid)> kills_at_once;
};

// Asks the API server by pods/eviction, so that disruption budgets are respected. About a pod that
// must not be asked to end, the server is only asked whether it would evict it (its dry run): an
// eviction would have the kubelet ask the pod to end before the agent could kill it. Nothing here
// waits.
class ClusterSoftEvictions : public SoftEvictions {
 public:
  // One second less than kAnswerWithin, for the answer's way to the loop.
  static constexpr Duration kTimeout = kAnswerWithin - std::chrono::seconds(1);

  ClusterSoftEvictions(ClusterSoftEvictionDependencies dependencies,
                       const kube::SoftEvictionLimits& limits);

  [[nodiscard]] std::optional<SoftHold> HoldAt(Instant now) const override {
    return book_.HoldAt(now);
  }
  [[nodiscard]] std::vector<SparedPod> SparedAt(Instant now) const override {
    return book_.SparedAt(now);
  }
  void Ask(const EvictionOrder& order, Instant now) override;
  [[nodiscard]] std::optional<SoftAnswered> TakeAnswer() override;

  // The state that the next agent needs.
  [[nodiscard]] SoftEvictionsSoFar SoFar(Instant now) const { return book_.SoFar(now); }
  void Resume(const SoftEvictionsSoFar& before, Instant now) { book_.Resume(before, now); }
  // Increases whenever SoFar gains something.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  void Take(const EvictionOrder& order, const std::string& pod, const kube::Outcome& outcome);
  void LogSpared(const SparedPod& spared, const std::string& pod, Instant now);

  ClusterSoftEvictionDependencies dependencies_;
  kube::SoftEvictionBook book_;
  std::deque<SoftAnswered> answers_;
  std::uint64_t changes_ = 0;
  ClusterCaller caller_;
};

}  // namespace jettison
