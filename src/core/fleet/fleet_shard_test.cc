#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/fleet/fleet_manifest.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace jettison
