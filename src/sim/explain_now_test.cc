#include "sim/explain_now.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "core/explain/testing/test_bed.h"
#include "core/explanation/explanation_text.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

ExplainTestBed Healthy() {
  ExplainTestBed bed;
  bed.AddPod({.name = "cache", .memory_mi = 200, .memory_request_mi = 100});
  bed.AddPod({.name = "db", .memory_mi = 90, .memory_request_mi = 100});
  bed.AddPod({.name = "leaker", .memory_mi = 112});
  bed.AddPod({.name = "system", .memory_mi = 500, .priority = 2'000'000'000});
  (void)bed.Pass();
  return bed;
}

TEST(ExplainNode, TellsHowFarEachThresholdIsAndWhoWouldGoFirst) {
  NodeNow node = Healthy().Now();
  node.time_to = {std::chrono::minutes(3)};
  const NodeExplanation now = ExplainNode(node);
  EXPECT_EQ(now.pass.outcome, PassOutcome::kNothing);
  ASSERT_EQ(now.pass.thresholds.size(), 3U);
  EXPECT_EQ(now.pass.thresholds[0].time_to, std::chrono::minutes(3));
  EXPECT_EQ(now.pass.thresholds[0].seen->available - *now.pass.thresholds[0].line, 400 * kMi);
  ASSERT_EQ(now.first.size(), 3U);
  EXPECT_EQ(now.first[0].pods.front().pod.name, "leaker");
  EXPECT_EQ(now.first[0].pods.size(), 3U);
  const std::string text = TextOf(now);
  EXPECT_THAT(text, HasSubstr("No pod would be evicted: no threshold is met."));
  EXPECT_THAT(text, HasSubstr("  MET WHEN "));
  EXPECT_THAT(text, HasSubstr("400Mi above it    100Mi  not met; at this pace it is met in 3m0s"));
  EXPECT_THAT(text, HasSubstr("default/leaker (112Mi), then default/cache (200Mi)"));
}

TEST(ExplainNode, WherePressureStandsTheNextVictimIsTold) {
  ExplainTestBed bed = Healthy();
  bed.SetAvailable(66);
  const NodeExplanation now = ExplainNode(bed.Now());
  EXPECT_EQ(now.pass.outcome, PassOutcome::kEvicted);
  EXPECT_EQ(now.pass.evicted.front().pod.name, "leaker");
  EXPECT_THAT(TextOf(now),
              HasSubstr("default/leaker would be evicted: the node is low on memory."));
  EXPECT_THAT(TextOf(now), HasSubstr("If 34Mi more were available, no pod would be evicted."));
}

TEST(ExplainNode, WhatHoldsTheMemoryIsNotToldBeforeAnyPodIsMeasured) {
  NodeNow node = Healthy().Now();
  EXPECT_FALSE(ExplainNode(node).pass.holders.empty());
  Summary unmeasured = *node.summary;
  unmeasured.pods.clear();
  node.summary = std::make_shared<const Summary>(std::move(unmeasured));
  EXPECT_TRUE(ExplainNode(node).pass.holders.empty())
      << "else all of it would be that of removed pods";
}

TEST(ExplainPod, TellsItsPlaceAndWhatSeparatesItFromItsNeighbours) {
  const auto cache = ExplainPod(Healthy().Now(), "uid-cache");
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->places.size(), 3U);
  const PodPlace& memory = cache->places[0];
  EXPECT_EQ(memory.self.place, 2U);
  EXPECT_EQ(memory.total, 4U);
  EXPECT_EQ(memory.before->pod.name, "leaker");
  EXPECT_EQ(memory.before->decided_by, "usage minus request");
  EXPECT_EQ(memory.after->pod.name, "system");
  // With 12 MiB more, both exceed by 112; the UID of cache is smaller.
  EXPECT_EQ(memory.more_usage, 12 * kMi);
  EXPECT_THAT(TextOf(*cache), HasSubstr("It would be evicted first if it used 12Mi more."));
}

TEST(ExplainPod, WhoGoesFirstIsToldWhatWouldSpareIt) {
  const auto leaker = ExplainPod(Healthy().Now(), "uid-leaker");
  EXPECT_TRUE(leaker->places[0].self.chosen);
  EXPECT_EQ(leaker->places[0].less_usage, 12 * kMi);
  EXPECT_FALSE(leaker->places[0].more_usage);
}

TEST(ExplainPod, AProtectedPodIsToldWhy) {
  const auto system = ExplainPod(Healthy().Now(), "uid-system");
  EXPECT_EQ(system->protected_by, "its priority is system-critical");
  EXPECT_FALSE(system->places[0].more_usage);
  EXPECT_THAT(TextOf(*system), HasSubstr("It is never evicted: its priority is system-critical."));
}

TEST(ExplainPod, LimitsOfLocalStorageAreToldWithWhatIsLeft) {
  ExplainTestBed bed;
  Pod pod;
  pod.name = "scratch";
  pod.uid = "uid-scratch";
  pod.volumes.push_back(
      {.name = "cache", .source = EmptyDirSource{.size_limit = Quantity::Of(50 * kMi)}});
  bed.AddPod(pod, {.name = "scratch", .memory_mi = 1});
  bed.StatsOf("scratch").volumes.push_back(
      {.name = "cache", .usage = {.used_bytes = ExplainTestBed::Bytes(30), .inodes_used = 9}});
  const auto scratch = ExplainPod(bed.Now(), "uid-scratch");
  ASSERT_EQ(scratch->limits.size(), 1U);
  EXPECT_EQ(scratch->limits[0].used, 30 * kMi);
  EXPECT_FALSE(scratch->limits[0].broken);
  EXPECT_THAT(TextOf(*scratch), HasSubstr("20Mi"));
}

TEST(OrderNow, ListsEverybody) {
  const PodOrder order = OrderNow(Healthy().Now(), Signal::kPidAvailable);
  EXPECT_EQ(order.pods.size(), 4U);
  EXPECT_EQ(order.pods.front().usage, 10);
  EXPECT_THAT(TextOf(order), HasSubstr("ORDER OF EVICTION for pid.available, 4 pods"));
}

}  // namespace
}  // namespace jettison
