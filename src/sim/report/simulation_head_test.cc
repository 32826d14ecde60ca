#include "sim/report/simulation_head.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(SimulationHeadTest, EveryDifferenceIsNamed) {
  const SimulationHead a{.version = "1",
                         .options = {{"evicted", "auto"}},
                         .policies = {{"in force", ""}, {"p", "{1}"}},
                         .shard = {0, 2},
                         .recordings = 3,
                         .hash = "x"};
  SimulationHead b = a;
  b.shard.index = 1;
  EXPECT_THAT(DifferencesOf(a, b), IsEmpty());
  b = {.version = "2",
       .options = {{"evicted", "back"}},
       .policies = {{"in force", ""}, {"p", "{2}"}},
       .shard = {1, 3},
       .recordings = 3,
       .hash = "y"};
  EXPECT_THAT(DifferencesOf(a, b), ElementsAre("the version", "the options", "the policies",
                                               "the number of shards", "the recordings"));
}

}  // namespace
}  // namespace jettison
