#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

TEST(FleetShard, EveryNodeIsInOneShardAndShardsAreOfAboutOneSize) {
  constexpr std::uint64_t kShards = 16;
  std::vector<int> nodes(kShards);
  for (int i = 0; i < 10'000; ++i) {
    const std::string node = fmt::format("node-{:05}.example.net", i);
    int owners = 0;
    for (std::uint64_t shard = 0; shard < kShards; ++shard) {
      if (!FleetShard{shard, kShards}.Has(node)) continue;
      ++owners;
      ++nodes[shard];
    }
    ASSERT_EQ(owners, 1) << node;
  }
  for (const int count : nodes) EXPECT_NEAR(count, 625, 100);
}

}  // namespace
}  // namespace jettison
