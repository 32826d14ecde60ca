#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/simulate/fleet_files.h"
#include "cli/simulate/run_recording.h"

namespace jettison {

// How many processors this process may use: by its affinity, and by the quota of its control group.
[[nodiscard]] std::size_t ProcessorsAvailable();

struct NodesRun {
  std::size_t jobs = 1;        // nodes that are simulated at once, each on a thread
  std::string label;           // before the progress
  bool shows_reading = false;  // progress within a node, where it is the only one
  // Receives every item of a node before it is simulated, on the thread of that node.
  std::function<void(std::size_t node, const RecordedItem& item)> item;
};

// Simulates nodes on threads. `take` runs on this thread, with every result in the order of the
// nodes; when it returns false, no other node is begun. At most four results per job wait for an
// earlier one. Returns false where `take` returned false, or no thread could be started, which is
// told.
[[nodiscard]] bool SimulateNodes(
    const RecordingRun& run, const std::vector<FleetNodeFiles>& nodes, const NodesRun& how,
    const std::function<bool(std::size_t node, SimulationReport)>& take);

}  // namespace jettison
