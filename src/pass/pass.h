#pragma once

#include <optional>
#include <vector>

#include "act/act.h"
#include "decide/eviction_pace.h"
#include "decide/pod_facts.h"
#include "evaluate/evaluate.h"
#include "pass/pass_policy.h"
#include "report/cycle_report.h"

namespace jettison {

// What one pass looks at: values only, all read at this moment.
struct PassInput {
  Instant now;
  const Summary& summary;
  const std::vector<const PodFacts*>& pods;  // the active ones
  bool full_ranking = false;                 // the report lists every pod, not only the victim
  // What earlier evictions and growth say of when the next one comes; absent: it never waits.
  std::optional<PaceInput> pace = std::nullopt;
};

// One pass of the whole pipeline: observe, evaluate, decide, act, report. `state` is replaced by
// the next one; `scratch` only lends its memory.
[[nodiscard]] CycleReport RunPass(const PassPolicy& policy, const PassInput& input,
                                  NodePorts& ports, EvictionState& state,
                                  std::vector<ActivePod>& scratch);

}  // namespace jettison
