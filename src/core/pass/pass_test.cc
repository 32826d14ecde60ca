#include "core/pass/pass.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jettison {
namespace {

const Instant kNow{std::chrono::hours(1)};

// Thresholds of a tenth of each resource.
PassPolicy PolicyOn(const std::vector<Signal>& signals, bool storage_limits = false) {
  PassPolicy policy;
  policy.local_storage_capacity_isolation = storage_limits;
  for (const Signal signal : signals) {
    policy.thresholds.push_back({.signal = signal, .value = Percentage{0.1F}});
  }
  return policy;
}

struct Left {
  std::uint64_t memory = 50;
  std::uint64_t swap = 50;
  std::uint64_t disk = 50;
  std::int64_t pids = 50;
};

// A node with a hundred of each resource.
NodeStats NodeWith(const Left& left) {
  NodeStats node;
  node.memory = MemoryStats{
      .time = kNow, .available_bytes = left.memory, .working_set_bytes = 100 - left.memory};
  node.swap = SwapStats{.time = kNow, .available_bytes = left.swap, .usage_bytes = 100 - left.swap};
  node.fs = FsStats{.time = kNow, .available_bytes = left.disk, .capacity_bytes = 100};
  node.rlimit = RlimitStats{.time = kNow, .max_pid = 100, .running = 100 - left.pids};
  return node;
}

const std::vector<Signal> kSignals = {Signal::kMemoryAvailable, Signal::kSwapAvailable,
                                      Signal::kNodeFsAvailable, Signal::kPidAvailable};

struct Case {
  std::string name;
  Left left;
  bool storage_limits = false;
  std::optional<Signal> acts_for;
  std::optional<Signal> disk;
  PodFigures pods = PodFigures::kNone;
};

TEST(PlanReading, WhatIsShortSaysWhichFiguresOfPodsAreRead) {
  const std::vector<Case> cases = {
      {"a healthy node needs none", {}, false, {}, {}},
      {"storage limits need all, whatever the node has", {}, true, {}, {}, PodFigures::kAll},
      {"memory is enough to choose for memory, containers are only named of who is chosen",
       {.memory = 5},
       false,
       Signal::kMemoryAvailable,
       {},
       PodFigures::kMemory},
      {"so it is for swap", {.swap = 5}, false, Signal::kSwapAvailable, {}, PodFigures::kMemory},
      {"memory goes before all others, which need all where it has to wait",
       {.memory = 5, .disk = 5, .pids = 5},
       false,
       Signal::kMemoryAvailable,
       {},
       PodFigures::kAll},
      {"storage limits need all beside memory",
       {.memory = 5},
       true,
       Signal::kMemoryAvailable,
       {},
       PodFigures::kAll},
      {"process ids need all", {.pids = 5}, false, Signal::kPidAvailable, {}, PodFigures::kAll},
      {"a disk needs all",
       {.disk = 5},
       false,
       Signal::kNodeFsAvailable,
       Signal::kNodeFsAvailable,
       PodFigures::kAll},
      {"a disk is more urgent than process ids",
       {.disk = 5, .pids = 5},
       false,
       Signal::kNodeFsAvailable,
       Signal::kNodeFsAvailable,
       PodFigures::kAll},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const PassPolicy policy = PolicyOn(kSignals, each.storage_limits);
    const ReadingPlan plan = PlanReading(policy, {}, NodeWith(each.left), kNow);
    const auto signal = [&](std::optional<std::size_t> threshold) {
      return threshold ? std::optional(policy.thresholds[*threshold].signal) : std::nullopt;
    };
    EXPECT_EQ(signal(plan.threshold), each.acts_for);
    EXPECT_EQ(signal(plan.disk), each.disk);
    EXPECT_EQ(plan.pods, each.pods);
  }
}

TEST(PlanReading, FiguresThatAnEarlierPassHasActedForNeedNobody) {
  const PassPolicy policy = PolicyOn({Signal::kMemoryAvailable});
  const NodeStats node = NodeWith({.memory = 5});
  const ReadingPlan first = PlanReading(policy, {}, node, kNow);
  const ReadingPlan again =
      PlanReading(policy, first.evaluation.next, node, kNow + std::chrono::seconds(1));
  EXPECT_FALSE(again.threshold);
  EXPECT_EQ(again.pods, PodFigures::kNone);
}

TEST(PlanReading, AFigureThatIsNotKnownNeedsNobody) {
  const PassPolicy policy = PolicyOn(kSignals);
  const ReadingPlan plan = PlanReading(policy, {}, NodeStats{}, kNow);
  EXPECT_FALSE(plan.threshold);
  EXPECT_EQ(plan.pods, PodFigures::kNone);
}

TEST(PlanReading, WhereSoftThresholdsAskAHardOneOfAnySignalComesFirst) {
  PassPolicy policy = PolicyOn({Signal::kMemoryAvailable, Signal::kPidAvailable});
  policy.thresholds[0].grace_period = std::chrono::seconds(30);
  for (const bool hard_first : {false, true}) {
    policy.hard_first = hard_first;
    EvictionState crossed =
        PlanReading(policy, {}, NodeWith({.memory = 5}), kNow - std::chrono::minutes(1))
            .evaluation.next;
    crossed.last_observations = {};
    const ReadingPlan both = PlanReading(policy, crossed, NodeWith({.memory = 5, .pids = 5}), kNow);
    EXPECT_EQ(both.threshold, hard_first ? 1U : 0U);
    const ReadingPlan soft = PlanReading(policy, crossed, NodeWith({.memory = 5}), kNow);
    EXPECT_EQ(soft.threshold, 0U) << "it is acted for if it is the only one";
  }
}

TEST(PlanReading, ActsForTheMostUrgentThresholdThatIsAllowed) {
  const PassPolicy policy = PolicyOn(kSignals);
  const ReadingPlan plan = PlanReading(policy, {}, NodeWith({.memory = 5, .disk = 5, .pids = 5}),
                                       kNow, ~ThresholdSet().set(0));
  EXPECT_EQ(plan.threshold, 2U);
  EXPECT_EQ(plan.disk, 2U);
  EXPECT_TRUE(plan.evaluation.acting[0]) << "it is reported all the same";
}

TEST(PlanReading, ADiskThatMayBeNextAfterAMarginIsMeasured) {
  PassPolicy policy = PolicyOn({Signal::kMemoryAvailable, Signal::kNodeFsAvailable});
  policy.thresholds[0].kubelet = KubeletLine{.value = Quantity::Of(1)};
  const ReadingPlan plan = PlanReading(policy, {}, NodeWith({.memory = 5, .disk = 5}), kNow);
  EXPECT_EQ(plan.threshold, 0U);
  EXPECT_EQ(plan.disk, 1U);
}

Threshold Of(Signal signal, Duration grace = {}) {
  return {.signal = signal, .value = Quantity::Of(1), .grace_period = grace};
}

// A pod that may be evicted for everything, and these thresholds.
class PassThatWaits : public testing::Test {
 protected:
  PassThatWaits() {
    policy_.local_storage_capacity_isolation = false;
    policy_.thresholds = {Of(Signal::kMemoryAvailable),
                          Of(Signal::kMemoryAvailable, std::chrono::minutes(1)),
                          Of(Signal::kAllocatableMemoryAvailable),
                          Of(Signal::kSwapAvailable),
                          Of(Signal::kNodeFsAvailable),
                          Of(Signal::kPidAvailable),
                          Of(Signal::kIoPressureFullAvg10, std::chrono::minutes(1))};
    Pod pod;
    pod.uid = "u";
    facts_ = FactsOf(std::move(pod), Profile::kStandalone);
    stats_.memory_working_set_bytes = 10;
    stats_.swap_bytes = 10;
    stats_.process_count = 10;
    plan_.now = kNow;
    for (const Signal signal : kAllSignals) {
      plan_.observations[signal] = Observation{.available = 0, .capacity = 100, .time = kNow};
    }
  }

  // Decides where the evictions for all thresholds but `free` wait.
  PassDecision DecideFor(const std::vector<std::size_t>& acting, std::size_t free = 99) {
    asked_.clear();
    plan_.may_act.reset();
    for (const std::size_t i : acting) plan_.may_act.set(i);
    const ActivePod pod{&facts_, &stats_};
    return DecidePass(policy_, plan_, std::span(&pod, 1), [&](std::size_t i) {
      asked_.push_back(i);
      PaceInput pace{.signal = policy_.thresholds[i].signal};
      if (i != free) pace.kubelet_decides = kNow + std::chrono::seconds(1);
      return pace;
    });
  }

  PassPolicy policy_;
  ReadingPlan plan_;
  PodFacts facts_;
  PodStats stats_;
  std::vector<std::size_t> asked_;  // for which a pod might go, in this order
};

using Which = std::vector<std::size_t>;

TEST_F(PassThatWaits, GoesOnToHardThresholdsOnOtherResources) {
  const PassDecision decision = DecideFor({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(asked_, (Which{0, 3, 5}));
  EXPECT_EQ(decision.decision.threshold, 0U) << "where all wait, the first one is told of";
  EXPECT_TRUE(decision.pause);
  EXPECT_EQ(decision.pace->signal, Signal::kMemoryAvailable);
}

TEST_F(PassThatWaits, WhereASoftOneWaitsGoesOnToHardOnesOnOtherSignals) {
  DecideFor({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(asked_, (Which{1, 2, 3, 5}));
}

TEST_F(PassThatWaits, GoesOnToNothingBesideADiskBecauseAPassWithoutDiskUseActsForThat) {
  DecideFor({4, 5, 6});
  EXPECT_EQ(asked_, Which{4});
}

TEST_F(PassThatWaits, ActsForTheFirstThatNeedNotWait) {
  const PassDecision decision = DecideFor({0, 3, 5}, 5);
  EXPECT_EQ(decision.decision.threshold, 5U);
  EXPECT_EQ(decision.decision.victim, 0U);
  EXPECT_FALSE(decision.pause);
  EXPECT_EQ(decision.pace->signal, Signal::kPidAvailable);
}

}  // namespace
}  // namespace jettison
