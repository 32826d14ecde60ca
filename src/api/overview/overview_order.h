#pragma once

#include <vector>

#include "api/overview/overview.h"
#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// The pods in the order in which a pass under pressure on that signal would rank them, by the
// figures of the last full pass: first the pods that may be evicted, in the order of eviction.
// Then, without a place, the pods that are not: those that are critical, that (for I/O) have waited
// for no disk, that have not been measured yet, and that use nothing; each by namespace and name.
[[nodiscard]] std::vector<OverviewPod> PodsInOrder(const Snapshot& snapshot, Signal signal);

}  // namespace jettison
