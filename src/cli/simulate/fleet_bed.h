#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/simulate/simulate.h"
#include "codec/flight/recording_writer.h"
#include "kernel/files/testing/temporary_folder.h"
#include "sim/whatif/testing/test_world.h"

// Recordings of nodes for tests: pods that leak, and are evicted.
namespace jettison {

// A life of a node: its own pods, whose names may be added to.
inline std::vector<RecordedItem> LifeOf(const std::string& node, std::uint32_t seed,
                                        Duration time = std::chrono::seconds(60),
                                        const std::string& suffix = "") {
  std::vector<TestPod> pods = TestWorld::RandomPods(seed);
  for (TestPod& pod : pods) pod.name += suffix;
  // One that certainly grows into the threshold.
  pods.push_back({.name = "leak" + suffix, .rate = 8, .begins = 5, .most = 400});
  TestWorld world(pods, HardAt(48));
  world.Run(time);
  std::vector<RecordedItem> items = world.items();
  std::get<RecordingAbout>(items.front()).node = node;
  return items;
}

inline std::string BinaryOf(const std::vector<RecordedItem>& items, ChunkLimits limits = {}) {
  std::string bytes;
  RecordingWriter writer(
      [&bytes](std::string_view chunk) -> Result<void> {
        bytes += chunk;
        return {};
      },
      limits);
  for (const RecordedItem& item : items) EXPECT_TRUE(writer.Add(item));
  EXPECT_TRUE(writer.Finish());
  return bytes;
}

inline std::string NdjsonOf(const std::vector<RecordedItem>& items) {
  std::string text;
  LineWriter writer([&text](std::string_view line) -> Result<void> {
    text += line;
    return {};
  });
  for (const RecordedItem& item : items) EXPECT_TRUE(writer.Add(item));
  return text;
}

// A folder of a fleet's recordings, and one of its parts.
class FleetBed : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void Put(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string Got(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  // A recording that stands alone.
  [[nodiscard]] FleetNodeFiles NodeAt(const std::string& name) const {
    return {.node = "", .files = {{.name = Path(name), .path = Path(name), .from = {}}}};
  }
  // Runs a command. Its exit status; what was told is in `said_`, and what was printed in
  // `printed_`.
  int RunCommand(void (*add)(CLI::App& app, int& exit_code), std::vector<std::string> words) {
    CLI::App app;
    int status = 0;
    add(app, status);
    std::ranges::reverse(words);  // as CLI11 takes them
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    app.parse(words);
    said_ = ::testing::internal::GetCapturedStderr();
    printed_ = ::testing::internal::GetCapturedStdout();
    return status;
  }
  // So many nodes, of which some have hostile names, and some two recordings.
  void PutFleet(int nodes) const {
    for (int i = 0; i < nodes; ++i) {
      const std::string node =
          i % 7 == 3 ? fmt::format("no,de\"{}\n", i) : fmt::format("node-{}", i);
      const auto items = LifeOf(node, static_cast<std::uint32_t>(i), std::chrono::seconds(40),
                                i % 5 == 1 ? ",\"\n'" : "");
      if (i % 4 == 2) {
        const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
        std::vector<RecordedItem> later = {items.front()};
        later.insert(later.end(), middle, items.end());
        // The later one sorts first by name.
        Put(fmt::format("fleet/{}-b.jtr", i), BinaryOf({items.begin(), middle}));
        Put(fmt::format("fleet/{}-a.ndjson", i), NdjsonOf(later));
      } else if (i % 2 == 0) {
        Put(fmt::format("fleet/{}.jtr", i), BinaryOf(items));
      } else {
        Put(fmt::format("fleet/deep/{}.ndjson", i), NdjsonOf(items));
      }
    }
  }

  kernel::TemporaryFolder folder_;
  std::string said_;
  std::string printed_;
};

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
