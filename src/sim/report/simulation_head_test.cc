#include "sim/report/simulation_head.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ShardFaultOf(std::string_view text) {
  const auto shard = ParseShard(text);
  return shard ? "" : shard.error().message;
}

// The published vectors of FNV-1a.
TEST(FleetShard, NamesHashAsTheyDoEverywhere) {
  EXPECT_EQ(ShardHashOf(""), 0xcbf29ce484222325U);
  EXPECT_EQ(ShardHashOf("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(ShardHashOf("foobar"), 0x85944171f73967e8U);
}

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

TEST(FleetShard, CountsFromZeroAndSaysSo) {
  EXPECT_EQ(*ParseShard("0/1"), (FleetShard{0, 1}));
  EXPECT_EQ(ParseShard("999/1000")->Text(), "999/1000");
  EXPECT_THAT(ShardFaultOf("16/16"),
              HasSubstr("shards count from 0, so INDEX must be from 0 to 15"));
  EXPECT_THAT(ShardFaultOf("0/0"), HasSubstr("COUNT must be from 1"));
  for (const char* text : {"", "/", "1", "1/", "/2", "-1/2", "1/2/3", " 1/2", "0x1/2", "1.0/2"}) {
    EXPECT_THAT(ShardFaultOf(text), HasSubstr("such as 0/16")) << text;
  }
  EXPECT_NE(ShardFaultOf("0/99999999999999999999"), "");
}

TEST(SimulationHeadTest, EveryDifferenceIsNamed) {
  const SimulationHead a{.version = "1",
                         .options = {{"evicted", "auto"}, {"every", "30s"}},
                         .policies = {{"in force", ""}, {"p", "{1}"}},
                         .shard = {0, 2},
                         .recordings = 3,
                         .hash = "x",
                         .missing_shards = {}};
  SimulationHead b = a;
  b.shard.index = 1;
  EXPECT_THAT(DifferencesOf(a, b), IsEmpty());
  b = {.version = "2",
       .options = {{"evicted", "back"}, {"peaks", "false"}},
       .policies = {{"in force", ""}, {"p", "{2}"}},
       .shard = {1, 3},
       .recordings = 3,
       .hash = "y",
       .missing_shards = {}};
  EXPECT_THAT(
      DifferencesOf(a, b),
      ElementsAre("option \"evicted\" is auto and back", "option \"every\" is 30s and not set",
                  "option \"peaks\" is not set and false", "policy \"p\" is {1} and {2}",
                  "the version is 1 and 2", "the fleet has 2 and 3 shards",
                  "their recordings have other names, sizes or nodes"));
}

}  // namespace
}  // namespace jettison
