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

}  // namespace jettison
