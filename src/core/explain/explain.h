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
  bool dry_run = false;     // no pod was really told to end
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t order_limit = kEveryPod;  // the most pods of the order that are listed
};

// Explains from its record why a pass did what it did.
[[nodiscard]] PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options = {});

}  // namespace jettison
