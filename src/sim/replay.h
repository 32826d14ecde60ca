#pragma once

#include <vector>

#include "core/decide/image_gc.h"
#include "core/pass/pass.h"
#include "core/scenario/scenario.h"
#include "sim/imagined_node.h"

namespace jettison {

// The node of a step: kills fail where the scenario says so, a reclaim leads to what the scenario
// has for it.
[[nodiscard]] ImaginedNode NodeOf(const Scenario& scenario, const ScenarioStep& step);

// Replays a scenario on a node that exists in memory only, by the same pass that the agent runs.
// Reports list the whole ranking.
[[nodiscard]] std::vector<StepOutcome> Replay(const Scenario& scenario);

// The passes that a replay makes of a scenario, each with the state that it began with.
[[nodiscard]] std::vector<RecordedPass> RecordedPassesOf(const Scenario& scenario);

// A recorded pass as a scenario of one step.
[[nodiscard]] Scenario ScenarioOf(const RecordedPass& pass, Profile profile);

// Runs a collection on an image store that exists in memory only. The file system is measured once
// and reads the same whatever was removed, as in the recordings.
[[nodiscard]] ImageGcOutcome Replay(const ImageCollection& collection);

}  // namespace jettison
