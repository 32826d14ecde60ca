#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"

namespace jettison {

// A fleet that is simulated in shards, whose results are added up, by the command.
class ShardBed : public FleetBed {
 protected:
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    return RunCommand(AddSimulate, std::move(arguments));
  }
  // Simulates a shard; the exit status.
  int Simulate(FleetShard shard, const std::string& out, std::size_t jobs = 1) {
    return Run({Path("fleet"), "--sweep", sweep_, "--shard", shard.Text(), "--out", Path(out),
                "--jobs", std::to_string(jobs)});
  }
  void SimulateAll(std::uint64_t count, const std::string& folder) {
    std::filesystem::create_directories(Path(folder));
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(Simulate({i, count}, folder + "/"), 0) << said_;
    }
  }
  // Everything that can be said of the shards, or why nothing can.
  [[nodiscard]] std::string SumOf(const std::vector<std::string>& paths) {
    std::string all;
    for (const char* output : {"text", "json"}) {
      std::vector<std::string> arguments = {"--sum", "--output", output};
      arguments.insert(arguments.end(), paths.begin(), paths.end());
      if (Run(arguments) == 1) return said_;
      all += printed_;
    }
    return all;
  }
  // The recordings of all nodes in a result.
  [[nodiscard]] std::vector<SimulatedInput> InputsIn(const std::string& name) const {
    std::vector<SimulatedInput> inputs;
    CommandFaults faults;
    for (const SimulationReport& node : SumOfShards({Path(name)}, faults).nodes) {
      inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    }
    EXPECT_EQ(faults.status(), 0);
    return inputs;
  }
  [[nodiscard]] std::vector<std::string> FilesIn(const std::string& folder) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(Path(folder))) {
      paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }
  std::string sweep_ = "evictionHard.memory.available=24Mi,64Mi";
};

}  // namespace jettison
