#pragma once

#include "agent/snapshot.h"
#include "sim/explain_now.h"

namespace jettison {

// The node as a snapshot shows it, for explanations: pods that run and have been measured. The
// snapshot must be of an agent that has made a pass.
[[nodiscard]] NodeNow NodeNowOf(const Snapshot& snapshot);

}  // namespace jettison
