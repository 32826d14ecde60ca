#include "agent/disk/disk_walk_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using Pods = std::vector<std::pair<std::string, const DiskHistory*>>;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(DiskWalkOrder, WhoWasNeverSeenIsFirst) {
  const DiskHistory full = {.fullness = 2};
  EXPECT_THAT(DiskWalkOrder(Pods{{"a", &full}, {"b", nullptr}}), ElementsAre(1, 0));
}

TEST(DiskWalkOrder, ThenTheFullestOfThoseNearALimit) {
  const DiskHistory fuller = {.fullness = 0.97};
  const DiskHistory full = {.fullness = 0.93, .grown_bytes = 100 * kMebibyte};
  const DiskHistory growing = {.fullness = 0.5, .grown_bytes = 500 * kMebibyte};
  EXPECT_THAT(DiskWalkOrder(Pods{{"a", &growing}, {"b", &full}, {"c", &fuller}}),
              ElementsAre(2, 1, 0));
}

TEST(DiskWalkOrder, ThenWhoGrewMostAndFarFromALimitFullnessDoesNotCount) {
  const DiskHistory little = {.fullness = 0.8, .grown_bytes = 1};
  const DiskHistory much = {.fullness = 0.1, .grown_bytes = kMebibyte};
  EXPECT_THAT(DiskWalkOrder(Pods{{"a", &little}, {"b", &much}}), ElementsAre(1, 0));
}

TEST(DiskWalkOrder, EqualsGoByUidWhateverTheirPlaces) {
  const DiskHistory same = {};
  EXPECT_THAT(DiskWalkOrder(Pods{{"b", &same}, {"a", &same}, {"c", &same}}), ElementsAre(1, 0, 2));
  EXPECT_THAT(DiskWalkOrder({}), ElementsAre());
}

TEST(Fullness, IsTheLargestPartOfAnyLimit) {
  PodDiskUse use;
  use.total.used_bytes = 50;
  use.volumes = {{.name = "v", .usage = {.used_bytes = 30}}};
  use.containers = {{.name = "c", .rootfs = {.used_bytes = 5}, .logs = {.used_bytes = 4}}};
  EXPECT_DOUBLE_EQ(FullnessOf(use, {}), 0);
  EXPECT_DOUBLE_EQ(FullnessOf(use, {.pod = 100}), 0.5);
  EXPECT_DOUBLE_EQ(FullnessOf(use, {.pod = 100, .volumes = {{"v", 40}, {"gone", 1}}}), 0.75);
  EXPECT_DOUBLE_EQ(FullnessOf(use, {.pod = 100, .containers = {{"c", 10}}}), 0.9);
  EXPECT_DOUBLE_EQ(FullnessOf(use, {.pod = 0}), 0) << "no limit";
}

TEST(Fullness, LimitsAreThoseOfThePodInBytes) {
  PodFacts facts;
  facts.ephemeral_storage_limit = Nanos{2'000'000'000};
  facts.empty_dir_limits = {{.name = "v", .limit = Nanos{3'000'000'000}}};
  facts.container_limits = {{.name = "c", .limit = Nanos{4'000'000'000}}};
  const DiskLimits limits = DiskLimitsOf(facts);
  EXPECT_EQ(limits.pod, 2.0);
  EXPECT_THAT(limits.volumes, ElementsAre(testing::Pair("v", 3.0)));
  EXPECT_THAT(limits.containers, ElementsAre(testing::Pair("c", 4.0)));
}

}  // namespace
}  // namespace jettison
