#pragma once

#include <array>
#include <span>

#include "agent/evictions/eviction_wait.h"
#include "agent/kept/kept_state.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// The state of a node between two passes, from which the next pass starts and which a restart of
// the agent must keep.
struct NodeStanding {
  EvictionState state;
  std::array<Instant, kNodeConditionCount> condition_changed_at;
  EvictionWait wait;
};

// The standing in a form that outlives the agent. `thresholds` are those that its state belongs to;
// they are told by their text, since the next agent may have others.
[[nodiscard]] KeptNode KeptOf(const NodeStanding& standing, std::span<const Threshold> thresholds);

// Goes on from what an agent before has kept. What belongs to no threshold of now is forgotten.
void Resume(const KeptNode& kept, std::span<const Threshold> thresholds, Instant now,
            NodeStanding& standing);

// Takes the conditions of what an agent before has kept, which was read after passes were made.
void ResumeConditions(const KeptNode& kept, NodeStanding& standing);

// Whether both states are kept as the same, apart from the passing of time.
[[nodiscard]] bool IsKeptAlike(const EvictionState& a, const EvictionState& b);

// The machine was suspended for so long: neither the wait for evicted pods nor the time for which
// thresholds have been met counts that.
void PutOff(Duration slept, Instant now, NodeStanding& standing);

}  // namespace jettison
