#pragma once

#include <vector>

#include "core/decide/image_gc.h"
#include "core/scenario/scenario.h"

namespace jettison {

// Replays a scenario on a node that exists in memory only, by the same pass that the agent runs.
// Reports list the whole ranking.
[[nodiscard]] std::vector<StepOutcome> Replay(const Scenario& scenario);

// Runs a collection on an image store that exists in memory only. The file system is measured once
// and reads the same whatever was removed, as in the recordings.
[[nodiscard]] ImageGcOutcome Replay(const ImageCollection& collection);

}  // namespace jettison
