#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain/explanation.h"
#include "explain/pod_ranking.h"
#include "model/memory_estimator.h"
#include "model/profile.h"
#include "pass/recorded_pass.h"

namespace jettison {

struct ExplainOptions {
  std::string id;           // of the eviction
  std::string subject_uid;  // the pod whose eviction is to be explained; empty: the pass as a whole
  bool dry_run = false;     // nobody was really told to end
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t order_limit = kEveryPod;  // so many pods of the order at most
};

// Why a pass did what it did, from its record alone.
[[nodiscard]] PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options = {});

// A node as it stands between two passes. Figures of pods are those of the last pass that read
// them.
struct NodeNow {
  Instant at;
  std::uint64_t passes = 0;  // until now
  std::shared_ptr<const PassPolicy> policy;
  EvictionState state;  // that the last pass left
  std::shared_ptr<const Summary> summary;
  std::vector<std::shared_ptr<const PodFacts>> pods;  // active ones
  bool waiting_for_cleanup = false;                   // of evicted pods
  std::optional<PaceInput> pace;                      // absent: an eviction never waits
  std::vector<std::optional<Duration>> time_to;       // for each threshold; may be shorter
  Profile profile = Profile::kStandalone;
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
};

// What a pass would do now: one is run whose kills and reclaims do nothing. `first` says how many
// pods to tell of those that would go first for each signal.
[[nodiscard]] NodeExplanation ExplainNode(const NodeNow& node, std::size_t first = 3);

// Where the pod with that UID stands; absent where it is not among the active ones. What NodeNow
// does not know (activity, past evictions) is left empty.
[[nodiscard]] std::optional<PodExplanation> ExplainPod(const NodeNow& node, std::string_view uid);

// Everybody in the order for one signal.
[[nodiscard]] PodOrder OrderNow(const NodeNow& node, Signal signal);

}  // namespace jettison
