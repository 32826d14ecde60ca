#pragma once

#include <cstddef>
#include <string>

#include "core/explain/pod_ranking.h"
#include "core/explanation/explanation.h"
#include "core/model/memory_estimator.h"
#include "core/model/profile.h"
#include "core/pass/recorded_pass.h"

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
