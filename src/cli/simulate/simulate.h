#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/simulate/candidates.h"
#include "cli/simulate/node_source.h"
#include "core/recording/recording.h"
#include "core/units/result.h"
#include "sim/report/simulation_report.h"

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison simulate`, which says what policies would have done to recorded nodes.
void AddSimulate(CLI::App& app, int& exit_code);

// How nodes are simulated.
struct RecordingRun {
  CandidateForms candidates;
  // Of the calibration; zero: as recorded.
  Duration every{0};
  bool thin_all = false;     // the simulation has no more than the calibration
  bool keep_passes = false;  // of evictions
  // Policies beside those candidates, made of the first pass.
  std::function<std::vector<CandidatePolicy>(const RecordedPass& first)> more;
  bool courses = false;  // of the signals of each node, too
  std::size_t jobs = 0;  // threads, of which each simulates a node; 0: one a processor
};

// Simulates every policy on a node and calibrates, in one reading of its recordings. What is wrong
// with them, and why the node could not be simulated, is in the result. `progress` is told how much
// was read, from 0 to 1.
[[nodiscard]] SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node,
                                       const std::function<void(double)>& progress = {});

struct SimulatedNodes {
  std::vector<SimulationReport> reports;  // in the order of the nodes
  // What a command ends with: 1 where a recording could not be read and another try may succeed,
  // else 2 where one is damaged or a policy does not fit.
  int status = 0;
};
// Simulates nodes on threads, or on this one where none can be started, and tells their faults on
// standard error.
[[nodiscard]] SimulatedNodes SimulateNodes(const RecordingRun& run,
                                           const std::vector<FleetNodeFiles>& nodes);

// Reads and checks the first line of a shard's result. kUnavailable: it is of another version.
[[nodiscard]] Result<SimulationHead> ReadShardHead(std::string_view line);
// The same of a line behind it that is a node.
[[nodiscard]] Result<SimulationReport> ReadShardNode(std::string_view line,
                                                     const SimulationHead& head);

// What these paths mean: files, and of folders those that end in .ndjson. Adds to `faults` a folder
// that cannot be read or has none.
[[nodiscard]] std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths,
                                                     std::vector<std::string>& faults);

// The results of all shards of a fleet as one.
struct ShardSum {
  SimulationHead head;
  std::vector<SimulationReport> nodes;  // in the order of their names
};
// Fails with every fault, a line each: those that are known, what cannot be read, is damaged or
// does not belong together, and shards that come twice or are missing.
[[nodiscard]] Result<ShardSum> SumOfShards(const std::vector<std::string>& files,
                                           std::vector<std::string> faults = {});

}  // namespace jettison
