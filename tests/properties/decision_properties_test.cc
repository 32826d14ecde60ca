// Properties that hold for every node: shuffling pods changes no decision, and using more never
// postpones a pod's turn.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/decide/decide.h"
#include "core/decide/ranking.h"
#include "core/pass/pass.h"
#include "tests/random_scenario.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

constexpr DiskLayout kLayouts[] = {
    {}, {.dedicated_image_fs = true}, {.dedicated_image_fs = true, .dedicated_container_fs = true}};

std::vector<ActivePod> Joined(const SyntheticNode& node) {
  return JoinStats(node.pods, node.summary);
}

std::vector<std::string> RankedUids(const std::vector<ActivePod>& pods, Signal signal,
                                    DiskLayout layout) {
  std::vector<std::string> uids;
  for (std::size_t i : RankedPods(pods, signal, layout)) uids.push_back(pods[i].facts->pod.uid);
  return uids;
}

TEST(Permutation, ShufflingPodsChangesNoRankingForAnySignalAndLayout) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const SyntheticNode node(40, seed);
    const std::vector<ActivePod> pods = Joined(node);
    std::vector<ActivePod> shuffled = pods;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed + 1));
    for (Signal signal : kAllSignals) {
      for (DiskLayout layout : kLayouts) {
        ASSERT_EQ(RankedUids(pods, signal, layout), RankedUids(shuffled, signal, layout))
            << NameOf(signal) << " seed " << seed;
      }
    }
  }
}

TEST(Permutation, TheFirstVictimIsTheFirstOfTheRankingThatMayGo) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SyntheticNode node(30, seed);
    // Of few sizes, so that most pods share all but the UID with others.
    for (PodStats& pod : node.summary.pods)
      pod.memory_working_set_bytes = std::uint64_t(pod.uid[0] % 3) << 29;
    const std::vector<ActivePod> pods = Joined(node);
    for (Signal signal : kAllSignals) {
      const auto order = RankedPods(pods, signal, {});
      const auto first = std::find_if(order.begin(), order.end(),
                                      [&](std::size_t i) { return MayGo(pods[i], signal); });
      ASSERT_EQ(FirstVictim(pods, signal, {}),
                first == order.end() ? std::nullopt : std::optional(*first));
    }
  }
}

TEST(Permutation, StatsThatAreNotAsManyAsThePodsAreJoinedByUid) {
  SyntheticNode node(10, 7);
  node.summary.pods.erase(node.summary.pods.begin() + 3);
  const std::vector<ActivePod> joined = Joined(node);
  ASSERT_EQ(joined.size(), 10U);
  EXPECT_EQ(joined[3].stats, nullptr);
  EXPECT_EQ(joined[4].stats->uid, node.pods[4]->pod.uid);
}

TEST(Permutation, StatsAreFoundWhateverTheOrderOfTheSummary) {
  SyntheticNode node(40, 7);
  const auto before = RankedUids(Joined(node), Signal::kMemoryAvailable, {});
  std::shuffle(node.summary.pods.begin(), node.summary.pods.end(), std::mt19937(3));
  EXPECT_EQ(RankedUids(Joined(node), Signal::kMemoryAvailable, {}), before);
}

std::size_t PositionOf(const std::string& uid, const std::vector<std::string>& order) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), uid) - order.begin());
}

// Adds the same amount to everything that is measured of a pod.
void UseMore(PodStats& pod, std::uint64_t more) {
  *pod.memory_working_set_bytes += more;
  *pod.process_count += more;
  if (pod.swap_bytes) *pod.swap_bytes += more;
  if (pod.io_some_avg10) *pod.io_some_avg10 += static_cast<std::int32_t>(more % 10'000);
  for (ContainerStats& container : pod.containers) {
    for (auto* usage : {&container.rootfs, &container.logs}) {
      *(*usage)->used_bytes += more;
      *(*usage)->inodes_used += more;
    }
  }
}

TEST(Monotonicity, UsingMoreNeverPostponesAPod) {
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SyntheticNode node(25, seed);
    for (Signal signal : kAllSignals) {
      const std::size_t i = random() % node.summary.pods.size();
      const std::string uid = node.summary.pods[i].uid;
      const auto before = RankedUids(Joined(node), signal, {});
      UseMore(node.summary.pods[i], random() % (1U << 30));
      const auto after = RankedUids(Joined(node), signal, {});
      ASSERT_LE(PositionOf(uid, after), PositionOf(uid, before)) << NameOf(signal);
    }
  }
}

// Random nodes beside a kubelet, step by step, whose lines are crossed or not.
TEST(WithKubeletLines, NobodyWithinItsRequestIsEvictedAboveTheKubeletsLine) {
  int spared = 0;
  int evicted = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const SyntheticNode node(8, seed);
    const PassPolicy policy = SomePolicy(random);
    EvictionState state;
    for (int i = 0; i < 6; ++i) {
      const Instant now(std::chrono::hours(1) + std::chrono::seconds(10 * i));
      ScenarioStep step = SomeStep(node, {}, now, random);
      // On every other node, all pods keep to their requests for memory.
      for (std::size_t p = 0; seed % 2 == 0 && p < step.summary.pods.size(); ++p) {
        auto& used = *step.summary.pods[p].memory_working_set_bytes;
        used = std::min(used, static_cast<std::uint64_t>(WholeUnits(node.facts[p].memory_request)));
      }
      const std::vector<ActivePod> pods = JoinStats(node.pods, step.summary);
      const Observations seen = ObservationsFrom(step.summary);
      const Evaluation evaluation = Evaluate(policy, state, seen, now);
      const Decision decision = Decide(policy, evaluation, evaluation.acting, pods);
      state = evaluation.next;
      for (std::size_t t = 0; t < policy.thresholds.size(); ++t) {
        const Threshold& threshold = policy.thresholds[t];
        if (!evaluation.acting[t] || !threshold.kubelet) continue;
        const Resource resource = ResourceOf(threshold.signal);
        if (resource != Resource::kMemory && resource != Resource::kEphemeralStorage) continue;
        const Observation& signal = *seen[threshold.signal];
        if (signal.available < QuantityOf(threshold.kubelet->value, signal.capacity).Value()) {
          continue;
        }
        if (decision.threshold != t || !decision.victim) {
          ++spared;
          continue;
        }
        ++evicted;
        const RankKey key = RankOf(pods[*decision.victim], threshold.signal, policy.layout);
        EXPECT_FALSE(key.within_request) << NameOf(threshold.signal) << " seed " << seed;
      }
    }
  }
  EXPECT_GT(spared, 50);
  EXPECT_GT(evicted, 50);
}

TEST(Monotonicity, LessAvailableMeetsNoFewerThresholds) {
  const std::vector<Threshold> thresholds = DefaultThresholds();
  SyntheticNode node(1, 1);
  std::size_t met = 0;
  for (std::uint64_t available = 100ULL << 30; available > 1000; available /= 2) {
    node.summary.node.fs->available_bytes = available;
    node.summary.node.memory->available_bytes = available;
    const std::size_t now =
        ThresholdsMet(thresholds, ObservationsFrom(node.summary), false).count();
    EXPECT_GE(now, met);
    met = now;
  }
  EXPECT_GE(met, 2U);
}

}  // namespace
}  // namespace jettison
