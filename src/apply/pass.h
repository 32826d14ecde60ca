#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_order.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/result.h"
#include "ports/node_actions.h"

namespace jettison {

// The ports through which a pass acts.
struct NodePorts {
  PodKiller& killer;
  NodeReclaimer& reclaimer;
  SummarySource& summaries;
};

// A pass that has been decided but not carried out.
struct DecidedPass {
  const PassPolicy& policy;
  const ReadingPlan& plan;
  const PassDecision& decision;
  std::span<const ActivePod> pods;
  bool full_ranking = false;  // as in PassInput
};

// Carries out the decision and reports what was done. `state` is replaced by the next state.
[[nodiscard]] CycleReport CarryOut(const DecidedPass& pass, NodePorts& ports, EvictionState& state);

// The inputs of one pass, all read at the moment `now`.
struct PassInput {
  Instant now;
  const Summary& summary;
  const std::vector<const PodFacts*>& pods;  // the active ones
  bool full_ranking = false;                 // the report lists every pod, not only the victim
  // What is known of earlier evictions and growth, which decides whether the next eviction waits.
  // Absent: it never waits.
  std::optional<PaceInput> pace = std::nullopt;
};

// Runs one pass on figures that have been read: observe, evaluate, decide, act, report. `state` is
// replaced by the next state. `scratch` is working memory, reused so that less is allocated.
[[nodiscard]] CycleReport RunPass(const PassPolicy& policy, const PassInput& input,
                                  NodePorts& ports, EvictionState& state,
                                  std::vector<ActivePod>& scratch);

}  // namespace jettison
