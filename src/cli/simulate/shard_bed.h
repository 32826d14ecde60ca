#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/fleet/part_files.h"
#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/fleet_files.h"
#include "cli/simulate/simulate_shard.h"
#include "sim/fleet/fleet_report.h"

namespace jettison {

// A fleet that is simulated in shards, whose parts are merged.
class ShardBed : public FleetBed {
 protected:
  // Simulates a shard; the exit status.
  int Simulate(FleetShard shard, const std::string& out, std::size_t jobs = 1) {
    const auto forms = ReadCandidates({.policy_files = {}, .sweeps = sweeps_});
    EXPECT_TRUE(forms);
    ::testing::internal::CaptureStderr();
    const int status = SimulateShard({.paths = {Path("fleet")},
                                      .run = {.path = "", .candidates = *forms},
                                      .shard = shard,
                                      .options = {{"evicted", "auto"}},
                                      .out = Path(out),
                                      .jobs = jobs});
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  void SimulateAll(std::uint64_t count, const std::string& folder) {
    std::filesystem::create_directories(Path(folder));
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(Simulate({i, count}, folder + "/"), 0) << said_;
    }
  }
  // Everything that can be said of the parts, or why nothing can.
  [[nodiscard]] static std::string MergedOf(const std::vector<std::string>& paths,
                                            bool partial = false) {
    FleetTotals totals(3);
    TopNodes top(5);
    auto parts = PartFiles::Read(paths, partial, [&](const FleetNode& node) {
      totals.Add(node);
      top.Add(node);
    });
    if (!parts) return parts.error().message;
    const FleetReport report{
        .manifest = parts->manifest(), .totals = totals, .missing_shards = parts->missing_shards()};
    NoteList notes;
    DamageList damage;
    const VisitNodes nodes = [&](const auto& visit) { return parts->Visit(visit); };
    EXPECT_TRUE(nodes([&](const FleetNode& node) {
      notes.Add(node.notes);
      damage.Add(node);
      return true;
    }));
    std::string out = FleetText(report, top, notes, damage);
    const PutPiece put = [&out](std::string_view piece) { return out += piece, true; };
    EXPECT_TRUE(WriteFleetJson(report, nodes, put));
    EXPECT_TRUE(WriteFleetNodesCsv(report, nodes, put));
    EXPECT_TRUE(WriteFleetEvictionsCsv(report, nodes, put));
    return out + FleetPoliciesCsv(report);
  }
  // The recordings of all nodes in a part.
  [[nodiscard]] std::vector<FleetInput> InputsIn(const std::string& part) const {
    std::vector<FleetInput> inputs;
    const auto parts = PartFiles::Read({Path(part)}, false, [&](const FleetNode& node) {
      inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    });
    EXPECT_TRUE(parts) << parts.error().message;
    return inputs;
  }
  [[nodiscard]] std::vector<std::string> PartsIn(const std::string& folder) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(Path(folder))) {
      paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }
  std::vector<std::string> sweeps_ = {"evictionHard.memory.available=24Mi,64Mi"};
  std::string said_;
};

}  // namespace jettison
