#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/candidates.h"
#include "cli/simulate/fleet_files.h"
#include "core/recording/recording.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// How nodes are simulated.
struct RecordingRun {
  CandidateForms candidates;
  std::optional<AfterEviction> after_eviction;
  // Of the calibration; zero: as recorded.
  Duration every{0};
  bool without_peaks = false;
  bool with_end_times = false;
  bool thin_all = false;     // the simulation has no more than the calibration
  bool keep_passes = false;  // of evictions
  // Policies beside those candidates, made of the first pass.
  std::function<std::vector<CandidatePolicy>(const RecordedPass& first)> more;
};

// Who follows the reading of one node.
struct Onlooker {
  std::function<void(const RecordedItem& item)> item;  // before it is simulated
  std::function<void(double share)> progress;          // how much was read, from 0 to 1
};

// "back" or "elsewhere"; none for "auto".
[[nodiscard]] std::optional<AfterEviction> AfterEvictionNamed(const std::string& name);

// Simulates every policy on a node and calibrates, in one reading of its recordings. What is wrong
// with them, and why the node could not be simulated, is in the result.
[[nodiscard]] SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node,
                                       const Onlooker& onlooker = {});

// What a command ends with that simulated these nodes: 1 where a recording could not be read and
// another try may succeed, else 2 where one is damaged or a policy does not fit.
[[nodiscard]] int ExitStatusOf(const SimulationReport& report);

// Tells the faults of a node on standard error.
void TellFaults(const SimulationReport& report);

}  // namespace jettison
