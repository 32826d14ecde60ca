#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_order.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/eviction.h"
#include "core/model/summary.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Evicts one pod: its status becomes Failed with reason Evicted, and it is killed with the order's
// grace period. Returns as soon as the kill has begun; the outcome says whether it has. An error
// says that the kill could not begin, or that a replayed scenario reports it so.
class PodKiller {
 public:
  virtual ~PodKiller() = default;
  [[nodiscard]] virtual Result<EvictOutcome> Evict(const EvictionOrder& order, Instant now) = 0;
};

// How far a reclaim has come when the call that asks for it returns.
enum class ReclaimProgress : std::uint8_t {
  kDone,      // everything that could be freed is free, and the figures show it
  kUnderWay,  // it continues by itself; a call after its end returns how it ended
};

// Frees dead containers and unused images. In spite of an error, everything that could be freed is
// freed; the caller logs the error. Images whose deletion is requested while dead containers are
// being deleted are deleted after the containers, because these images are unused only then.
class NodeReclaimer {
 public:
  virtual ~NodeReclaimer() = default;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteDeadContainers() = 0;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteUnusedImages() = 0;
};

// Reads every figure of the node at the moment of the call.
class SummarySource {
 public:
  virtual ~SummarySource() = default;
  [[nodiscard]] virtual Result<Summary> ReadSummary() = 0;
};

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
// replaced by the next state.
[[nodiscard]] CycleReport RunPass(const PassPolicy& policy, const PassInput& input,
                                  NodePorts& ports, EvictionState& state);

}  // namespace jettison
