#pragma once

#include <vector>

#include "api/overview/overview.h"
#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// The pods as a pass under pressure on that signal would rank them, from the figures of the last
// full pass: first those that may go, first to go first. Then, without a place, those that stay
// because they are critical or (I/O) have waited for no disk, that have not been measured yet, and
// that take up nothing; each by namespace and name.
[[nodiscard]] std::vector<OverviewPod> PodsInOrder(const Snapshot& snapshot, Signal signal);

}  // namespace jettison
