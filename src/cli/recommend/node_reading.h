#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/fleet_files.h"
#include "cli/simulate/run_recording.h"

namespace jettison {

// A node whose recordings are simulated.
struct NodeInput {
  std::string name;
  std::optional<FleetNodeFiles> files;  // absent: it is read from standard input
};

// Every node in these files and folders, by name; "-" stands alone. Fails with every fault, a line
// each.
[[nodiscard]] Result<std::vector<NodeInput>> NodesIn(const std::vector<std::string>& paths);

// The memory of the smallest of the nodes, by the first pass of each that observed it. Absent: no
// file has such a pass.
[[nodiscard]] std::optional<std::int64_t> LeastCapacityOf(const std::vector<NodeInput>& nodes);

// A reading of one node.
struct NodeSimulation {
  std::optional<SimulationReport> report;  // absent: it failed
  std::vector<std::string> faults;         // that are to be told
  int status = 0;                          // as all commands have it
};
// `tell` is called as it is read, with how much of it has been: from 0 to 1.
[[nodiscard]] NodeSimulation ReadNode(const NodeInput& node, const RecordingRun& run,
                                      const std::function<void(double)>& tell);

}  // namespace jettison
