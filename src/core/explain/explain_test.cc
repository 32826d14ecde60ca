#include "core/explain/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/explain/testing/test_bed.h"
#include "core/explanation/explanation_text.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

const Otherwise* Find(const PassExplanation& explanation, Otherwise::Change change) {
  const auto found = std::ranges::find(explanation.otherwise, change, &Otherwise::change);
  return found == explanation.otherwise.end() ? nullptr : &*found;
}

// 66 MiB are left of 1 GiB; leaker is evicted, cache would be next.
ExplainTestBed Starved() {
  ExplainTestBed bed;
  bed.AddPod({.name = "cache", .memory_mi = 200, .memory_request_mi = 100});
  bed.AddPod({.name = "db", .memory_mi = 90, .memory_request_mi = 100});
  bed.AddPod({.name = "leaker", .memory_mi = 112});
  bed.AddPod({.name = "system", .memory_mi = 500, .priority = 2'000'000'000});
  bed.SetAvailable(66);
  return bed;
}

TEST(Explain, TellsVictimSignalThresholdAndOrder) {
  const PassExplanation why = Explain(Starved().Pass(), {.id = "ev-1"});
  EXPECT_EQ(why.outcome, PassOutcome::kEvicted);
  ASSERT_EQ(why.evicted.size(), 1U);
  EXPECT_EQ(why.evicted.front().pod.FullName(), "default/leaker");
  EXPECT_THAT(why.evicted.front().record.order.message,
              HasSubstr("Threshold quantity: 100Mi, available: 66Mi"));
  ASSERT_TRUE(why.signal && why.threshold && why.order);
  EXPECT_EQ(why.signal->figures.back().amount, 66 * kMi);
  EXPECT_EQ(why.ActedFor()->line, 100 * kMi);
  EXPECT_TRUE(why.ActedFor()->acting);
  std::vector<std::string> names;
  std::vector<std::string_view> fields;
  for (const RankedPod& pod : why.order->pods) {
    names.push_back(pod.pod.name);
    fields.push_back(pod.decided_by);
  }
  EXPECT_THAT(names, testing::ElementsAre("leaker", "cache", "system", "db"));
  EXPECT_THAT(fields,
              testing::ElementsAre("usage minus request", "priority", "usage above request", ""));
  EXPECT_TRUE(why.order->pods[0].chosen);
  EXPECT_EQ(why.order->pods[1].excess, 100 * kMi);
  EXPECT_TRUE(why.order->pods[2].critical);
}

TEST(Explain, LessUsageOfTheVictimWouldHaveSpentIt) {
  const PassExplanation why = Explain(Starved().Pass());
  const Otherwise* usage = Find(why, Otherwise::Change::kUsage);
  ASSERT_NE(usage, nullptr);
  // With 12 MiB less, both exceed their requests by 100. The UID decides between equals, and
  // cache's is smaller.
  EXPECT_EQ(usage->by, 12 * kMi);
  EXPECT_EQ(usage->pod, "default/leaker");
  EXPECT_EQ(usage->victim, "default/cache");
  EXPECT_THAT(TextOf(why), HasSubstr("Had default/leaker used 12Mi less, default/cache "
                                     "would have been evicted."));
}

TEST(Explain, OfSwapWhatWasSwappedOutCountsAndTheRequestIsForMemory) {
  ExplainTestBed bed;
  bed.policy.thresholds = {{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}};
  bed.AddPod({.name = "idle", .memory_mi = 20, .memory_request_mi = 100});
  bed.AddPod({.name = "web", .memory_mi = 400});
  bed.StatsOf("idle").swap_bytes = ExplainTestBed::Bytes(90);
  bed.StatsOf("web").swap_bytes = ExplainTestBed::Bytes(10);
  bed.summary.node.swap = SwapStats{.available_bytes = ExplainTestBed::Bytes(12),
                                    .usage_bytes = ExplainTestBed::Bytes(116)};
  const PassExplanation why = Explain(bed.Pass());
  ASSERT_EQ(why.outcome, PassOutcome::kEvicted);
  EXPECT_EQ(why.evicted.front().pod.name, "idle");
  EXPECT_EQ(why.order->pods[0].usage, 90 * kMi);
  EXPECT_TRUE(why.order->pods[0].exceeds_request);
  EXPECT_EQ(why.order->pods[0].request, 0) << "pods cannot request swap";
  EXPECT_EQ(Find(why, Otherwise::Change::kUsage)->by, 820 << 10) << "then 10% of swap are left";
  EXPECT_EQ(Find(why, Otherwise::Change::kRequest)->to, 110 * kMi);
  const std::string text = TextOf(why);
  EXPECT_THAT(text, HasSubstr("the node was low on swap"));
  EXPECT_THAT(text, HasSubstr("Had default/idle used 820Ki less of swap, no pod would have"));
  EXPECT_THAT(text, HasSubstr("With a memory request of 110Mi or more for default/idle"));
  EXPECT_THAT(text, HasSubstr("swap.available < 10%"));
}

// Beside an eviction for memory that waits, bomb is evicted for process IDs.
ExplainTestBed ShortOfTwo() {
  ExplainTestBed bed = Starved();
  bed.AddPod({.name = "bomb", .memory_mi = 1});
  bed.StatsOf("bomb").process_count = 700;
  bed.summary.node.rlimit->running = 950;
  bed.pace = PaceInput{.signal = Signal::kPidAvailable};
  return bed;
}

TEST(Explain, AnEvictionBesideOneThatWaitsIsExplainedByItsOwnThreshold) {
  const PassExplanation why = Explain(ShortOfTwo().Pass());
  ASSERT_EQ(why.evicted.size(), 1U);
  EXPECT_EQ(why.evicted.front().pod.FullName(), "default/bomb");
  ASSERT_TRUE(why.threshold && why.order);
  EXPECT_EQ(why.ActedFor()->threshold.signal, Signal::kPidAvailable);
  EXPECT_TRUE(why.order->pods.front().chosen);
  const Otherwise* usage = Find(why, Otherwise::Change::kUsage);
  ASSERT_NE(usage, nullptr);
  EXPECT_EQ(usage->pod, "default/bomb");
  EXPECT_EQ(usage->by, 50) << "then 100 process ids are left";
  EXPECT_EQ(usage->outcome, PassOutcome::kPaused);
}

TEST(Explain, NobodyMayGoWhereAllAreProtected) {
  ExplainTestBed bed;
  bed.AddPod({.name = "system", .memory_mi = 500, .priority = 2'000'000'000});
  bed.SetAvailable(66);
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.outcome, PassOutcome::kNobodyMayGo);
  EXPECT_TRUE(why.otherwise.empty()) << "no pod was evicted that a change could spare";
  EXPECT_THAT(TextOf(why), HasSubstr("none may be evicted"));
}

TEST(Explain, SaysHowOldDiskUseWasThatWasNotMeasuredForThePass) {
  ExplainTestBed bed;
  bed.AddPod({.name = "old", .memory_mi = 5});
  bed.AddPod({.name = "unknown", .memory_mi = 500});
  bed.summary.node.fs->available_bytes = ExplainTestBed::Bytes(9);
  bed.StatsOf("old").stale_disk = StaleDisk{.measured_at = bed.now - seconds(84)};
  bed.StatsOf("old").containers[0].logs = FsUsage{.used_bytes = ExplainTestBed::Bytes(3)};
  bed.StatsOf("unknown").stale_disk = StaleDisk{};
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.outcome, PassOutcome::kEvicted);
  EXPECT_EQ(why.evicted[0].pod.name, "old");
  EXPECT_THAT(TextOf(why), HasSubstr("default/old: 1m24s old\n"));
  EXPECT_THAT(TextOf(why), HasSubstr("default/unknown: never measured, so it cannot be evicted\n"));
  bed.StatsOf("old").stale_disk = StaleDisk{};
  bed.state = {};
  const PassExplanation waits = Explain(bed.Pass());
  EXPECT_EQ(waits.outcome, PassOutcome::kAwaitsDiskUse);
  EXPECT_THAT(TextOf(waits), HasSubstr("disk use is still being measured"));
}

TEST(Explain, ASoftThresholdTellsItsGracePeriod) {
  ExplainTestBed bed = Starved();
  bed.policy.thresholds[0].grace_period = seconds(90);
  (void)bed.Pass();
  bed.now += seconds(30);
  const PassExplanation waiting = Explain(bed.Pass());
  EXPECT_EQ(waiting.outcome, PassOutcome::kNothing);
  EXPECT_EQ(waiting.thresholds[0].grace_left, seconds(60));
  EXPECT_THAT(TextOf(waiting), HasSubstr("No pod was evicted: the soft threshold of "
                                         "memory.available has 1m0s of its grace period left."));
  bed.now += seconds(70);
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.outcome, PassOutcome::kEvicted);
  EXPECT_EQ(why.ActedFor()->met_for, seconds(100));
}

TEST(Explain, MinimumReclaimHoldsAThreshold) {
  ExplainTestBed bed = Starved();
  bed.policy.thresholds[0].min_reclaim = Quantity::Of(50 * kMi);
  (void)bed.Pass();
  bed.SetAvailable(120);
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.outcome, PassOutcome::kEvicted);
  EXPECT_TRUE(why.ActedFor()->by_min_reclaim);
  EXPECT_EQ(why.ActedFor()->end, 150 * kMi);
  EXPECT_EQ(Find(why, Otherwise::Change::kAvailable)->by, 30 * kMi);
}

TEST(Explain, APercentageIsWorkedOut) {
  ExplainTestBed bed = Starved();
  bed.SetAvailable(500);
  bed.policy.thresholds[1].value = Percentage{0.125F};
  bed.summary.node.fs->available_bytes = ExplainTestBed::Bytes(95);
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.ActedFor()->line, 125 * kMi);
  EXPECT_EQ(why.ActedFor()->end, 135 * kMi);
  EXPECT_EQ(why.reclaim.attempted.size(), 2U);
  EXPECT_THAT(TextOf(why),
              HasSubstr("nodefs.available < 12.5%      125Mi  95Mi  30Mi short    135Mi  met"));
  EXPECT_THAT(TextOf(why), HasSubstr("- reserved for root"));
}

TEST(Explain, ABrokenStorageLimitTellsByHowMuch) {
  ExplainTestBed bed;
  Pod pod;
  pod.name = "scratch";
  pod.uid = "uid-scratch";
  pod.volumes.push_back(
      {.name = "cache", .source = EmptyDirSource{.size_limit = Quantity::Of(50 * kMi)}});
  bed.AddPod(pod, {.name = "scratch", .memory_mi = 1});
  bed.StatsOf("scratch").volumes.push_back(
      {.name = "cache", .usage = {.used_bytes = ExplainTestBed::Bytes(64), .inodes_used = 9}});
  const PassExplanation why = Explain(bed.Pass(), {.id = "ev-2", .subject_uid = "uid-scratch"});
  EXPECT_EQ(why.outcome, PassOutcome::kStorageLimits);
  ASSERT_EQ(why.limits.size(), 1U);
  EXPECT_EQ(why.limits[0].used, 64 * kMi);
  EXPECT_EQ(why.limits[0].limit, 50 * kMi);
  EXPECT_TRUE(why.otherwise.empty());
  EXPECT_THAT(TextOf(why), HasSubstr("emptyDir volume cache  64Mi   50Mi  -14Mi  exceeded"));
}

TEST(Explain, AReclaimThatWasEnoughSaysWhatItFreed) {
  ExplainTestBed bed = Starved();
  bed.SetAvailable(500);
  bed.after_reclaim = bed.summary;
  bed.summary.node.fs->available_bytes = ExplainTestBed::Bytes(95);
  const PassExplanation why = Explain(bed.Pass());
  EXPECT_EQ(why.outcome, PassOutcome::kRelieved);
  EXPECT_TRUE(why.otherwise.empty());
  EXPECT_THAT(TextOf(why), HasSubstr("95Mi available before, 900Mi afterwards: 805Mi gained"));
}

TEST(Explain, WhoeverHoldsTheMemoryIsNamedWhereItIsNotThePodsThatMayGo) {
  ExplainTestBed bed;
  bed.AddPod({.name = "small", .memory_mi = 10});
  bed.SetAvailable(66);
  const PassExplanation why = Explain(bed.Pass());
  ASSERT_EQ(why.holders.size(), 1U);
  EXPECT_EQ(why.holders[0].parts.back().amount, (1024 - 66 - 10) * kMi);
  EXPECT_THAT(TextOf(why), HasSubstr("WHAT HOLDS THE MEMORY"));
  EXPECT_THAT(TextOf(why), HasSubstr("processes outside the pods 948Mi"));
  bed.AddPod({.name = "large", .memory_mi = 900});
  EXPECT_THAT(TextOf(Explain(bed.Pass())), testing::Not(HasSubstr("WHAT HOLDS THE MEMORY")));
}

struct ReportCase {
  const char* rule;
  std::function<void(CycleReport&, const std::string& victim)> edit;
  ExplainOptions options;
  std::vector<const char*> text;
  const char* json;
};

TEST(Explain, SaysWhatElseTheReportTells) {
  const ReportCase cases[] = {
      {"a dry run",
       [](CycleReport&, const std::string&) {},
       {.dry_run = true},
       {"default/leaker would have been evicted: ", "dry run: no pod was told to end",
        "WOULD HAVE BEEN EVICTED"},
       "\"dryRun\":true"},
      {"an eviction that waits",
       [](CycleReport& report, const std::string& victim) {
         report.evictions.clear();
         report.pause = EvictionPause{.reason = PaceReason::kVictimTooSmall,
                                      .until = report.at + seconds(1),
                                      .pod_uid = victim};
       },
       {},
       {"the next eviction waits", "ending the pod would"},
       "\"reason\":\"victim-too-small\""},
      {"a pod that is spared",
       [](CycleReport& report, const std::string& victim) {
         report.spared = {{.uid = victim, .why = "web needs 2 healthy pods", .until = report.at},
                          {.uid = "gone", .why = "not there any more", .until = report.at}};
       },
       {},
       {"SPARED BY SOFT THRESHOLDS\n  default/leaker until ", "web needs 2 healthy pods"},
       "\"spared\":[{\"pod\":{"},
      {"a kill before its time",
       [](CycleReport& report, const std::string&) {
         report.early_kills = {{.pod_uid = "gone",
                                .after = std::chrono::milliseconds(120),
                                .grace = seconds(1),
                                .left = 48 * kMi,
                                .growth = 480 * kMi}};
       },
       {},
       {"gone was killed after 120ms of its grace period of 1s"},
       "\"earlyKills\":[{\"pod\":{\"uid\":\"gone\"}"},
  };
  for (const ReportCase& each : cases) {
    SCOPED_TRACE(each.rule);
    RecordedPass pass = Starved().Pass();
    each.edit(pass.report, pass.report.evictions.front().order.pod_uid);
    const PassExplanation why = Explain(pass, each.options);
    for (const char* text : each.text) EXPECT_THAT(TextOf(why), HasSubstr(text));
    EXPECT_THAT(TextOf(why), Not(HasSubstr("not there any more"))) << "its name is not known";
    EXPECT_THAT(JsonOf(why), HasSubstr(each.json));
  }
}

TEST(Explain, ALongOrderIsCutAroundTheVictim) {
  ExplainTestBed bed;
  for (int i = 0; i < 40; ++i) {
    bed.AddPod({.name = fmt::format("critical-{:02}", i),
                .memory_mi = 100 + i,
                .priority = 2'000'000'000});
    bed.AddPod({.name = fmt::format("plain-{:02}", i), .memory_mi = 10, .memory_request_mi = 20});
  }
  bed.SetAvailable(66);
  const PassExplanation why = Explain(bed.Pass(), {.order_limit = 10});
  EXPECT_EQ(why.order->total, 80U);
  ASSERT_EQ(why.order->pods.size(), 10U);
  EXPECT_EQ(why.order->pods.front().place, 36U);
  EXPECT_TRUE(why.order->pods[5].chosen);
  EXPECT_THAT(TextOf(why), HasSubstr("10 of 80 pods"));
}

}  // namespace
}  // namespace jettison
