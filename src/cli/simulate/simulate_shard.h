#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/simulate/run_recording.h"
#include "core/fleet/fleet_manifest.h"

namespace jettison {

// A shard of a fleet, which is written as a part.
struct ShardRun {
  std::vector<std::string> paths;         // files and folders
  std::vector<std::string> policy_files;  // from which `run` has its candidates
  RecordingRun run;                       // of each node; its path is of no meaning
  FleetShard shard;
  std::vector<FleetOption> options;  // for the manifest
  std::string out;                   // a file, or a folder, in which it has a name of its own;
                                     // a folder that is missing is made
  std::size_t jobs = 1;
};

// Simulates it; the exit status.
[[nodiscard]] int SimulateShard(const ShardRun& run);

}  // namespace jettison
