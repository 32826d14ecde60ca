#include "view/node_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Pair;

constexpr std::size_t kMemory = static_cast<std::size_t>(Signal::kMemoryAvailable);

CycleReport EvictionFor(Signal signal, Instant measured) {
  CycleReport report;
  report.ranked_for = signal;
  report.observations[signal] = Observation{.available = 1, .capacity = 2, .time = measured};
  report.evictions.emplace_back();
  return report;
}

TEST(NodeCounters, AnEvictionCountsUnderItsSignalWithTheAgeOfItsFigure) {
  PassCounters counters;
  const Instant now(seconds(100));
  CountPass(EvictionFor(Signal::kMemoryAvailable, now), PassKind::kWatch,
            {.woken = now - milliseconds(1),
             .began = now,
             .decided = now + milliseconds(7),
             .ended = now + milliseconds(9)},
            counters);
  EXPECT_EQ(counters.evictions[kMemory], 1U);
  EXPECT_EQ(counters.stats_age[kMemory].View().sum, milliseconds(7));
  EXPECT_EQ(counters.detection_latency.View().sum, milliseconds(8));
  EXPECT_EQ(counters.duration[static_cast<std::size_t>(PassKind::kWatch)].View().sum,
            milliseconds(9));
  EXPECT_EQ(counters.duration[static_cast<std::size_t>(PassKind::kFull)].Count(), 0U);
}

TEST(NodeCounters, StorageLimitsHaveTheKubeletsOwnNamesAndNoAge) {
  PassCounters counters;
  CycleReport report;
  report.evictions.push_back({.storage_limit = StorageLimitKind::kEmptyDir});
  report.evictions.push_back({.storage_limit = StorageLimitKind::kContainer, .kill_error = "no"});
  CountPass(report, PassKind::kFull, {}, counters);
  for (std::size_t i = 0; i < kEvictionSignalCount; ++i) {
    const std::string_view name = EvictionSignalName(i);
    const bool counted = name == "emptydirfs.limit" || name == "ephemeralcontainerfs.limit";
    EXPECT_EQ(counters.evictions[i], counted ? 1U : 0U) << name;
  }
  EXPECT_EQ(counters.eviction_errors, 1U);
}

TEST(NodeCounters, ADryRunHasVictimsAndNoEvictions) {
  PassCounters counters;
  CycleReport report = EvictionFor(Signal::kMemoryAvailable, Instant());
  report.evictions.front().outcome = EvictOutcome::kDryRun;
  CountPass(report, PassKind::kFull, {}, counters);
  EXPECT_EQ(counters.dry_run_victims[kMemory], 1U);
  EXPECT_EQ(counters.evictions[kMemory], 0U);
  EXPECT_EQ(counters.stats_age[kMemory].Count(), 0U);
  EXPECT_EQ(counters.detection_latency.Count(), 0U);
}

class CountingNode : public NodeTestBed {};

TEST_F(CountingNode, AMemoryNotificationThatEvictsIsCountedAllTheWay) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  const PassCounters& counters = node_->counters();
  EXPECT_EQ(counters.memory_notifications, 1U);
  EXPECT_EQ(counters.evictions[kMemory], 1U);
  EXPECT_EQ(counters.stats_age[kMemory].Count(), 1U);
  EXPECT_EQ(counters.detection_latency.Count(), 1U);
}

TEST_F(CountingNode, APodThatComesBackCountsAsStartedAndRestarted) {
  Start();
  EXPECT_EQ(dependencies_.counters.started_pods, 2U);
  EXPECT_EQ(dependencies_.counters.pod_start.Count(), 2U);
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  Deliver();
  figures_.SetAvailable(400);
  for (int i = 0; i < 10; ++i) FullPass();
  EXPECT_EQ(dependencies_.counters.restarted_pods, 1U);
  EXPECT_EQ(dependencies_.counters.started_pods, 3U);
  EXPECT_THAT(dependencies_.counters.started_containers, ElementsAre(3U, 0U));
}

TEST_F(CountingNode, ARefusalCountsOnceForItsReason) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  pods_.SetWanted(WantedPods({PodNamed("hog"), PodNamed("idle"), PodNamed("late")}), clock_.Now());
  FullPass();
  FullPass();
  EXPECT_THAT(dependencies_.counters.admission_rejections, ElementsAre(Pair("Evicted", 1U)));
}

}  // namespace
}  // namespace jettison
