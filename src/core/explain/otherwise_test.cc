// Checks that the outcome which an explanation predicts for a change is the true outcome.
#include "core/explain/otherwise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/explain/other_usage.h"
#include "core/explain/pod_ranking.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

constexpr std::int64_t kKi = 1024;

// A node of many pods that is short of memory, or of its disk.
struct StarvedNode {
  explicit StarvedNode(std::uint32_t seed, Signal signal) : node(40, seed) {
    policy.thresholds = DefaultThresholds();
    policy.local_storage_capacity_isolation = false;
    if (signal == Signal::kMemoryAvailable) return;
    node.summary.node.memory->available_bytes = 1ULL << 30;
    node.summary.node.pods_memory->available_bytes = 1ULL << 30;
    node.summary.node.fs->available_bytes = 1ULL << 30;
  }
  [[nodiscard]] std::vector<ActivePod> Pods() const {
    std::vector<ActivePod> pods;
    JoinStats(node.pods, node.summary, pods);
    return pods;
  }
  [[nodiscard]] Decision Decide(const std::vector<ActivePod>& pods) const {
    const Observations seen = ObservationsFrom(node.summary);
    return DecisionFor({policy, state, seen, now, pods});
  }

  SyntheticNode node;
  PassPolicy policy;
  EvictionState state;
  Instant now{std::chrono::hours(1)};
};

class OtherwiseProperties : public testing::TestWithParam<Signal> {};

TEST_P(OtherwiseProperties, LessUsageChangesTheVictimAndAnyLessDoesNot) {
  int tried = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const StarvedNode starved(seed, GetParam());
    std::vector<ActivePod> pods = starved.Pods();
    const Observations seen = ObservationsFrom(starved.node.summary);
    const DecisionInputs inputs{starved.policy, starved.state, seen, starved.now, pods};
    const Decision decision = DecisionFor(inputs);
    ASSERT_TRUE(decision.victim);
    const auto all = OtherwiseFor(inputs, decision, PassOutcome::kEvicted, {});
    const auto usage = std::ranges::find(all, Change::kUsage, &Otherwise::change);
    if (usage == all.end()) continue;
    ++tried;
    const std::size_t victim = *decision.victim;
    const Signal signal = starved.policy.thresholds[*decision.threshold].signal;
    const auto with = [&](std::int64_t less) {
      const auto stats = WithUsage(pods[victim], signal, starved.policy.layout, -less);
      std::vector<ActivePod> changed = pods;
      changed[victim].stats = &*stats;
      return *starved.Decide(changed).victim;
    };
    const std::size_t then = with(usage->by);
    EXPECT_NE(then, victim) << "seed " << seed;
    EXPECT_EQ(IdentityOf(*pods[then].facts).FullName(), usage->victim) << "seed " << seed;
    if (usage->by <= kKi) continue;
    EXPECT_EQ(with(usage->by - kKi), victim) << "seed " << seed;
  }
  EXPECT_GT(tried, 5);
}

TEST_P(OtherwiseProperties, AHigherPriorityChangesTheVictimAndALowerOneDoesNot) {
  int tried = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const StarvedNode starved(seed, GetParam());
    const std::vector<ActivePod> pods = starved.Pods();
    const Observations seen = ObservationsFrom(starved.node.summary);
    const DecisionInputs inputs{starved.policy, starved.state, seen, starved.now, pods};
    const Decision decision = DecisionFor(inputs);
    const auto all = OtherwiseFor(inputs, decision, PassOutcome::kEvicted, {});
    const auto priority = std::ranges::find(all, Change::kPriority, &Otherwise::change);
    if (priority == all.end()) continue;
    ++tried;
    const auto with = [&](std::int64_t value) {
      PodFacts facts = *pods[*decision.victim].facts;
      facts.priority = static_cast<std::int32_t>(value);
      std::vector<ActivePod> changed = pods;
      changed[*decision.victim].facts = &facts;
      return *starved.Decide(changed).victim;
    };
    EXPECT_NE(with(priority->to), *decision.victim) << "seed " << seed;
    EXPECT_EQ(with(priority->to - 1), *decision.victim) << "seed " << seed;
  }
  EXPECT_GT(tried, 5);
}

INSTANTIATE_TEST_SUITE_P(Signals, OtherwiseProperties,
                         testing::Values(Signal::kMemoryAvailable, Signal::kNodeFsAvailable));

TEST(LeastThat, FindsTheFirstMultipleOfItsStep) {
  EXPECT_EQ(LeastThat(10, 100, [](std::int64_t n) { return n >= 35; }), 40);
  EXPECT_EQ(LeastThat(10, 95, [](std::int64_t n) { return n >= 95; }), 100);
  EXPECT_EQ(LeastThat(1, 7, [](std::int64_t) { return true; }), 1);
  EXPECT_FALSE(LeastThat(1, 7, [](std::int64_t n) { return n > 7; }));
  EXPECT_FALSE(LeastThat(1, 0, [](std::int64_t) { return true; }));
}

TEST(WithUsage, ChangesOnlyWhatTheRankingCounts) {
  Pod pod;
  pod.uid = "u";
  const PodFacts facts = FactsOf(pod, Profile::kKubelet);
  PodStats stats{.uid = "u"};
  stats.containers.push_back({.name = "c",
                              .rootfs = FsUsage{.used_bytes = 100, .inodes_used = 1},
                              .logs = FsUsage{.used_bytes = 30, .inodes_used = 1}});
  const DiskLayout split{.dedicated_image_fs = true};
  const auto less = WithUsage({&facts, &stats}, Signal::kNodeFsAvailable, split, -50);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->containers[0].logs->used_bytes, 0U);
  EXPECT_EQ(less->containers[0].rootfs->used_bytes, 100U) << "it is on the other file system";
  EXPECT_FALSE(WithUsage({&facts, nullptr}, Signal::kMemoryAvailable, {}, 1));
}

}  // namespace
}  // namespace jettison
