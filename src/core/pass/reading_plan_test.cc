#include "core/pass/reading_plan.h"

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
  std::optional<Signal> without_disks;
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
       Signal::kMemoryAvailable,
       PodFigures::kMemory},
      {"so it is for swap",
       {.swap = 5},
       false,
       Signal::kSwapAvailable,
       Signal::kSwapAvailable,
       PodFigures::kMemory},
      {"memory goes before all others",
       {.memory = 5, .disk = 5, .pids = 5},
       false,
       Signal::kMemoryAvailable,
       Signal::kMemoryAvailable,
       PodFigures::kMemory},
      {"but not where storage limits are looked at",
       {.memory = 5},
       true,
       Signal::kMemoryAvailable,
       Signal::kMemoryAvailable,
       PodFigures::kAll},
      {"process ids need all",
       {.pids = 5},
       false,
       Signal::kPidAvailable,
       Signal::kPidAvailable,
       PodFigures::kAll},
      {"a disk needs all, and nobody else is short",
       {.disk = 5},
       false,
       Signal::kNodeFsAvailable,
       {},
       PodFigures::kAll},
      {"who is short of something else beside a disk is told",
       {.disk = 5, .pids = 5},
       false,
       Signal::kNodeFsAvailable,
       Signal::kPidAvailable,
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
    EXPECT_EQ(signal(plan.without_disks), each.without_disks);
    EXPECT_EQ(plan.pods, each.pods);
  }
}

TEST(PlanReading, CarriesTheEvaluationOfThePass) {
  const PassPolicy policy = PolicyOn({Signal::kMemoryAvailable});
  const ReadingPlan plan = PlanReading(policy, {}, NodeWith({.memory = 5}), kNow);
  EXPECT_EQ(plan.now, kNow);
  EXPECT_EQ(plan.observations[Signal::kMemoryAvailable]->available, 5);
  EXPECT_TRUE(plan.evaluation.acting[0]);
  EXPECT_EQ(plan.evaluation.next.first_observed_at[0], kNow);
  EXPECT_TRUE(plan.evaluation.next.conditions.Has(NodeConditionType::kMemoryPressure));
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

}  // namespace
}  // namespace jettison
