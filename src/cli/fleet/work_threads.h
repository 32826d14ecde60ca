#pragma once

#include <cstddef>
#include <functional>

#include "core/fleet/fleet_node.h"

namespace jettison {

// How many processors this process may use: by its affinity, and by the quota of its control group.
[[nodiscard]] std::size_t ProcessorsAvailable();

// Does `count` pieces of work on up to `jobs` threads. `work` runs on those and must not throw.
// `take` runs on this thread, with every result in the order of the pieces; when it returns false,
// no other piece is begun. At most four results per job wait for an earlier one. Returns false
// where `take` returned false, or no thread could be started.
[[nodiscard]] bool DoOnThreads(std::size_t count, std::size_t jobs,
                               const std::function<FleetNode(std::size_t piece)>& work,
                               const std::function<bool(std::size_t piece, FleetNode)>& take);

}  // namespace jettison
