#pragma once

#include <optional>
#include <span>
#include <vector>

#include "act/act.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/pass/pass_decision.h"
#include "core/pass/pass_policy.h"
#include "core/pass/reading_plan.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"

namespace jettison {

// A pass that has been decided, of which only the deed and the report are missing.
struct DecidedPass {
  const PassPolicy& policy;
  const ReadingPlan& plan;
  const PassDecision& decision;
  std::span<const ActivePod> pods;
  bool full_ranking = false;  // as in PassInput
};

// Acts and reports. `state` is replaced by the next one.
[[nodiscard]] CycleReport CarryOut(const DecidedPass& pass, NodePorts& ports, EvictionState& state);

// What one pass looks at: values only, all read at this moment.
struct PassInput {
  Instant now;
  const Summary& summary;
  const std::vector<const PodFacts*>& pods;  // the active ones
  bool full_ranking = false;                 // the report lists every pod, not only the victim
  // What earlier evictions and growth say of when the next one comes; absent: it never waits.
  std::optional<PaceInput> pace = std::nullopt;
};

// One pass of the whole pipeline on figures that are there already: observe, evaluate, decide, act,
// report. `state` is replaced by the next one; `scratch` only lends its memory.
[[nodiscard]] CycleReport RunPass(const PassPolicy& policy, const PassInput& input,
                                  NodePorts& ports, EvictionState& state,
                                  std::vector<ActivePod>& scratch);

}  // namespace jettison
