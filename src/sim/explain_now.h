#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/explain/explain.h"
#include "core/explanation/explanation.h"
#include "core/model/choices.h"
#include "core/model/eviction.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

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
  std::vector<SparedPod> spared;                      // these are protected among `pods`
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

// All pods in the order of eviction for one signal.
[[nodiscard]] PodOrder OrderNow(const NodeNow& node, Signal signal);

}  // namespace jettison
