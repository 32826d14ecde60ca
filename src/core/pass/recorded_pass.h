#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"

namespace jettison {

// One pass with all its inputs and its report, as values: it can be repeated with the same result,
// and explained when the pods are gone.
struct RecordedPass {
  std::uint64_t number = 0;                  // of passes since the agent started, from 1
  std::shared_ptr<const PassPolicy> policy;  // as for that pass: a watch pass has no storage limits
  EvictionState before;                      // the state it began with
  Summary summary;                           // its figures
  std::vector<std::shared_ptr<const PodFacts>> pods;  // active ones, by namespace and name
  CycleReport report;
  std::optional<PaceInput> pace;         // as in PassInput
  std::optional<Summary> after_reclaim;  // the node after a reclaim; absent: it was not read again
};

// "namespace/name" of a pod that took part in it; of any other, the UID itself.
[[nodiscard]] std::string NameOfPod(const RecordedPass& pass, std::string_view uid);

}  // namespace jettison
