#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cluster/cluster_caller.h"
#include "agent/dependencies/dependencies.h"
#include "core/units/duration.h"
#include "machine/log/event_log.h"
#include "sources/kubernetes/evictions/soft_eviction_book.h"

namespace jettison {

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
