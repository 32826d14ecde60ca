#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FleetTotals, SumsDoNotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  FleetNode node{.node = "a", .from = {}, .to = {}};
  node.policies = {{.evictions = 1,
                    .condition_nanoseconds = {kMost, kMost},
                    .kept_free_byte_seconds = kMost,
                    .pod_nanoseconds_lost = kMost}};
  FleetTotals totals(1);
  for (int i = 0; i < 3; ++i) totals.Add(node);
  EXPECT_TRUE(totals.policies[0].kept_free_byte_seconds == Int128{kMost} * 3);
  EXPECT_TRUE(totals.policies[0].pod_nanoseconds_lost == Int128{kMost} * 3);
  EXPECT_TRUE(ConditionNanoseconds(totals.policies[0]) == Int128{kMost} * 6);
  EXPECT_EQ(totals.policies[0].nodes_with_evictions, 3);
}

TEST(FleetTotals, ANodeThatCouldNotBeSimulatedAddsNothingButItself) {
  FleetNode node{.node = "a", .failure = "it is no recording", .from = {}, .to = {}};
  node.inputs = {{.name = "a.jtr", .bytes = 7, .faults = {"byte 0"}}};
  FleetTotals totals(2);
  totals.Add(node);
  EXPECT_EQ(totals.nodes, 1);
  EXPECT_EQ(totals.nodes_failed, 1);
  EXPECT_EQ(totals.recordings_damaged, 1);
  EXPECT_EQ(totals.bytes, 7);
  EXPECT_EQ(totals.policies[1].evictions, 0);
  EXPECT_TRUE(node.IsDamaged());
}

TEST(FleetCalibration, TheMedianIsABoundOfItsBucket) {
  FleetCalibration calibration;
  EXPECT_EQ(calibration.MedianAtMost(), std::nullopt);
  calibration.AddError(Duration{0});
  EXPECT_EQ(calibration.MedianAtMost(), milliseconds(10));
  calibration.AddError(milliseconds(1001));
  calibration.AddError(seconds(2));
  EXPECT_EQ(calibration.MedianAtMost(), seconds(2));
  for (int i = 0; i < 9; ++i) calibration.AddError(seconds(5000));
  EXPECT_EQ(calibration.MedianAtMost(), std::nullopt);
}

TEST(FleetNodeTest, RowsHaveOneOrderWhateverTheyCameIn) {
  FleetNode node{.node = "a", .from = {}, .to = {}};
  const Instant at(seconds(10));
  const FleetEviction first{.at = at, .policy = 0, .pod = "d/b", .uid = "1", .signal = {}};
  const FleetEviction second{.at = at, .policy = 0, .pod = "d/b", .uid = "2", .signal = {}};
  const FleetEviction third{.at = at, .policy = 1, .pod = "d/a", .uid = "1", .signal = {}};
  const FleetEviction last{.at = at + seconds(1), .pod = "d/a", .uid = "1", .signal = {}};
  node.evictions = {last, third, second, first};
  node.Sort();
  EXPECT_TRUE((node.evictions == std::vector{first, second, third, last}));
}

TEST(FleetManifestTest, EveryDifferenceIsNamed) {
  const FleetManifest a{.version = "1",
                        .options = {{"evicted", "auto"}, {"every", "30s"}},
                        .policies = {{"in force", ""}, {"p", "{1}"}},
                        .shard = {0, 2},
                        .fleet_recordings = 3,
                        .fleet_hash = "x"};
  FleetManifest b = a;
  b.shard.index = 1;
  EXPECT_THAT(DifferencesOf(a, b), IsEmpty());
  b = {.version = "2",
       .options = {{"evicted", "back"}, {"peaks", "false"}},
       .policies = {{"in force", ""}, {"p", "{2}"}},
       .shard = {1, 3},
       .fleet_recordings = 3,
       .fleet_hash = "y"};
  EXPECT_THAT(DifferencesOf(a, b),
              ElementsAre("the version is 1 and 2", "the fleet has 2 and 3 shards",
                          "evicted is auto and back", "every is 30s and not set",
                          "peaks is not set and false", "policy \"p\" is {1} and {2}",
                          "their recordings have other names, sizes or nodes"));
}

}  // namespace
}  // namespace jettison
