#include "apply/pass.h"

#include <gtest/gtest.h>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// Remembers what it was asked, in order.
class RecordingNode final : public PodKiller, public NodeReclaimer, public SummarySource {
 public:
  Result<EvictOutcome> Evict(const EvictionOrder& order, Instant) override {
    calls.push_back("evict " + order.pod_uid);
    if (kill_fails) return Fail(ErrorCode::kDeadlineExceeded, "too slow");
    return outcome;
  }
  Result<ReclaimProgress> DeleteDeadContainers() override {
    calls.emplace_back("containers");
    return Fail(ErrorCode::kUnavailable, "no runtime");
  }
  Result<ReclaimProgress> DeleteUnusedImages() override {
    calls.emplace_back("images");
    return images;
  }
  Result<Summary> ReadSummary() override {
    calls.emplace_back("read");
    return after;
  }

  bool kill_fails = false;
  EvictOutcome outcome = EvictOutcome::kEnding;
  ReclaimProgress images = ReclaimProgress::kDone;
  Summary after;
  std::vector<std::string> calls;
};

Summary WithNodeFs(std::uint64_t available) {
  Summary summary;
  summary.node.fs = FsStats{.available_bytes = available, .capacity_bytes = 100};
  return summary;
}

struct Fixture {
  Fixture() {
    Pod pod;
    pod.uid = "u";
    facts = FactsOf(std::move(pod), Profile::kStandalone);
    pods = {&facts};
    policy.thresholds = {{.signal = Signal::kNodeFsAvailable, .value = Percentage{0.1F}}};
    node.after = WithNodeFs(5);
  }
  CycleReport Run(std::uint64_t available, const std::optional<PaceInput>& pace = {}) {
    NodePorts ports{.killer = node, .reclaimer = node, .summaries = node};
    const Summary summary = WithNodeFs(available);
    return RunPass(
        policy, {.now = {}, .summary = summary, .pods = pods, .full_ranking = true, .pace = pace},
        ports, state);
  }
  PodFacts facts;
  std::vector<const PodFacts*> pods;
  PassPolicy policy;
  RecordingNode node;
  EvictionState state;
};

using Calls = std::vector<std::string>;

TEST(Pass, AHealthyNodeIsLeftAlone) {
  Fixture f;
  const CycleReport report = f.Run(50);
  EXPECT_EQ(f.node.calls, Calls{});
  EXPECT_TRUE(report.events.empty());
  EXPECT_TRUE(report.conditions().Empty());
}

TEST(Pass, AnEvictionThatWaitsIsInTheReportAndEndsNobody) {
  Fixture f;
  const CycleReport report = f.Run(
      5, PaceInput{.signal = Signal::kNodeFsAvailable, .kubelet_decides = Instant(Duration(1))});
  EXPECT_EQ(f.node.calls, (Calls{"containers", "images", "read"})) << "a reclaim does not wait";
  EXPECT_EQ(report.pause,
            (EvictionPause{
                .reason = PaceReason::kNoForecast, .until = Instant(Duration(1)), .pod_uid = "u"}));
  EXPECT_EQ(report.ranked_for, Signal::kNodeFsAvailable);
  EXPECT_TRUE(report.evictions.empty());
  EXPECT_FALSE(f.state.last_eviction);
}

TEST(Pass, WhatIsKnownOfAnotherSignalPutsOffNothing) {
  Fixture f;
  const PaceInput of_memory{.signal = Signal::kMemoryAvailable,
                            .kubelet_decides = Instant(Duration(1))};
  EXPECT_EQ(f.Run(5, of_memory).evictions.size(), 1U);
}

TEST(Pass, ReclaimsThenReadsAgainThenEvicts) {
  Fixture f;
  const CycleReport report = f.Run(5);
  EXPECT_EQ(f.node.calls, (Calls{"containers", "images", "read", "evict u"}));
  EXPECT_EQ(report.reclaim_errors, Calls{"no runtime"});
  ASSERT_EQ(report.events.size(), 2U);
  EXPECT_EQ(report.events[0].reason, "EvictionThresholdMet");
  EXPECT_EQ(report.events[1].reason, "Evicted");
  EXPECT_EQ(report.ranking, Calls{"u"});
}

TEST(Pass, NobodyIsEvictedWhenReclaimWasEnough) {
  Fixture f;
  f.node.after = WithNodeFs(50);
  const CycleReport report = f.Run(5);
  EXPECT_TRUE(report.relieved_by_reclaim);
  EXPECT_EQ(report.after_reclaim->available, 50);
  EXPECT_TRUE(report.evictions.empty());
  EXPECT_FALSE(report.ranked_for);
  EXPECT_TRUE(report.conditions().Has(NodeConditionType::kDiskPressure));
}

TEST(Pass, NobodyIsEvictedWhileReclaimIsUnderWayButConditionsAreSet) {
  Fixture f;
  f.node.images = ReclaimProgress::kUnderWay;
  const CycleReport under_way = f.Run(5);
  EXPECT_EQ(f.node.calls, (Calls{"containers", "images"}));
  EXPECT_TRUE(under_way.reclaim_under_way);
  EXPECT_FALSE(under_way.ranked_for);
  EXPECT_TRUE(under_way.conditions().Has(NodeConditionType::kDiskPressure));
  EXPECT_EQ(under_way.events.size(), 1U) << "that it is attempted is told";

  f.node.images = ReclaimProgress::kDone;
  const CycleReport over = f.Run(5);
  EXPECT_FALSE(over.reclaim_under_way);
  EXPECT_EQ(f.node.calls.back(), "evict u");
}

TEST(Pass, AFailedKillStillCountsAsTheEviction) {
  Fixture f;
  f.node.kill_fails = true;
  const CycleReport report = f.Run(5);
  ASSERT_EQ(report.evictions.size(), 1U);
  EXPECT_EQ(report.evictions[0].kill_error, "too slow");
  EXPECT_FALSE(report.evictions[0].outcome);
}

TEST(Pass, TheReportSaysWhatBecameOfEachOrder) {
  for (const EvictOutcome outcome :
       {EvictOutcome::kEnding, EvictOutcome::kWasEnding, EvictOutcome::kDryRun}) {
    Fixture f;
    f.node.outcome = outcome;
    const CycleReport report = f.Run(5);
    ASSERT_EQ(report.evictions.size(), 1U);
    EXPECT_EQ(report.evictions[0].outcome, outcome);
    EXPECT_FALSE(report.evictions[0].kill_error);
  }
}

TEST(Pass, StallsFromBeforeAnEvictionDoNotCallForAnother) {
  Fixture f;
  f.policy.thresholds = {{.signal = Signal::kMemoryPressureSomeAvg10, .value = LeftOf(2000)}};
  Summary summary;
  const auto evictions_at = [&](Duration at, std::int32_t lost) {
    const Instant now{at};
    summary.node.memory_pressure = PressureStats{.time = now, .some = {.avg10 = lost}};
    NodePorts ports{.killer = f.node, .reclaimer = f.node, .summaries = f.node};
    return RunPass(f.policy, {.now = now, .summary = summary, .pods = f.pods}, ports, f.state)
        .evictions.size();
  };
  EXPECT_EQ(evictions_at(std::chrono::seconds(10), 9000), 1U);
  EXPECT_EQ(evictions_at(std::chrono::seconds(12), 8000), 0U);
  EXPECT_EQ(evictions_at(std::chrono::seconds(20), 3400), 0U) << "9000 / e is 3300";
  EXPECT_EQ(evictions_at(std::chrono::seconds(30), 6000), 1U);
}

TEST(Pass, TellsOfPodsWhoseDiskUseIsOldAndEvictsNobodyWhoseIsUnknown) {
  Fixture f;
  PodStats stats;
  stats.uid = "u";
  stats.stale_disk = StaleDisk{};
  const auto run = [&] {
    Summary summary = WithNodeFs(5);
    summary.node.rlimit = RlimitStats{.max_pid = 100, .running = 99};
    summary.pods = {stats};
    NodePorts ports{.killer = f.node, .reclaimer = f.node, .summaries = f.node};
    return RunPass(f.policy, {.now = {}, .summary = summary, .pods = f.pods}, ports, f.state);
  };
  const CycleReport unknown = run();
  EXPECT_EQ(f.node.calls, (Calls{"containers", "images", "read"}))
      << "it is reclaimed all the same";
  EXPECT_TRUE(unknown.conditions().Has(NodeConditionType::kDiskPressure));
  EXPECT_EQ(unknown.stale_disk, (std::vector<StaleDiskRecord>{{"u", std::nullopt}}));

  f.policy.thresholds.push_back(
      {.signal = Signal::kPidAvailable, .value = Quantity::Of(50, QuantityFormat::kDecimalSI)});
  f.state = {};
  const CycleReport pids = run();
  EXPECT_EQ(pids.acting_for->signal, Signal::kPidAvailable) << "process ids do not wait for files";
  ASSERT_EQ(pids.evictions.size(), 1U);

  stats.stale_disk->measured_at = Instant(std::chrono::seconds(7));
  f.state = {};
  const CycleReport old = run();
  EXPECT_EQ(old.acting_for->signal, Signal::kNodeFsAvailable);
  EXPECT_EQ(old.evictions.size(), 1U);
  EXPECT_EQ(old.stale_disk,
            (std::vector<StaleDiskRecord>{{"u", Instant(std::chrono::seconds(7))}}));
}

TEST(Pass, WithoutPodsNothingIsRanked) {
  Fixture f;
  f.pods.clear();
  const CycleReport report = f.Run(5);
  EXPECT_FALSE(report.ranked_for);
  EXPECT_EQ(report.events.size(), 1U);
}

TEST(Pass, CriticalPodsAreRankedButNotEvicted) {
  Fixture f;
  f.facts.protection = Protection::kCritical;
  const CycleReport report = f.Run(5);
  EXPECT_EQ(report.ranked_for, Signal::kNodeFsAvailable);
  EXPECT_EQ(report.ranking, Calls{"u"});
  EXPECT_TRUE(report.evictions.empty());
}

TEST(Pass, WhoIsAskedAboutIsNotEvictedYet) {
  Fixture f;
  f.node.outcome = EvictOutcome::kAsked;
  const CycleReport report = f.Run(5);
  EXPECT_EQ(f.node.calls.back(), "evict u");
  EXPECT_EQ(report.pause,
            (EvictionPause{
                .reason = PaceReason::kAsked, .until = Instant(kAnswerWithin), .pod_uid = "u"}));
  EXPECT_TRUE(report.evictions.empty());
  ASSERT_EQ(report.events.size(), 1U) << "no event tells of an eviction";
  EXPECT_FALSE(f.state.last_eviction);
}

}  // namespace
}  // namespace jettison
