#pragma once

#include "sim/explain_now.h"
#include "view/snapshot.h"

namespace jettison {

// The node as a snapshot shows it, for explanations: pods that run and have been measured. The
// snapshot must be of an agent that has made a pass.
[[nodiscard]] NodeNow NodeNowOf(const Snapshot& snapshot);

}  // namespace jettison
