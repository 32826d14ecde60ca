#include "core/decide/ranking.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

// A pod whose name is its UID, with what ranking looks at.
struct Candidate {
  std::string uid;
  std::int32_t priority = 0;
  std::int64_t request = 0;
  std::optional<std::uint64_t> used;  // absent: no stats at all
};

struct Node {
  explicit Node(const std::vector<Candidate>& candidates) {
    facts.resize(candidates.size());
    stats.resize(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) Add(i, candidates[i]);
  }
  void Add(std::size_t i, const Candidate& from) {
    facts[i].pod.uid = from.uid;
    facts[i].priority = from.priority;
    facts[i].memory_request = from.request * kNanosPerUnit;
    stats[i].memory_working_set_bytes = from.used;
    stats[i].process_count = from.used;
    pods.push_back({&facts[i], from.used ? &stats[i] : nullptr});
  }

  std::vector<PodFacts> facts;
  std::vector<PodStats> stats;
  std::vector<ActivePod> pods;
};

std::string Order(const Node& node, Signal signal, DiskLayout layout = {}) {
  std::string order;
  for (std::size_t i : RankedPods(node.pods, signal, layout)) order += node.facts[i].pod.uid;
  return order;
}

TEST(Ranking, APodWhoseDiskUseWasNeverMeasuredCannotGoForADiskAndForAnythingElseItCan) {
  Node node({{"a", 0, 0, 1000}, {"b", 0, 0, 10}});
  node.stats[0].stale_disk = StaleDisk{};
  for (const Signal signal : kAllSignals) {
    const bool disk = ConditionOf(signal) == NodeConditionType::kDiskPressure;
    node.stats[0].io_some_avg10 = node.stats[1].io_some_avg10 = 100;
    EXPECT_EQ(MayGo(node.pods[0], signal), !disk) << NameOf(signal);
    EXPECT_TRUE(MayGo(node.pods[1], signal)) << NameOf(signal);
  }
  EXPECT_EQ(FirstVictim(node.pods, Signal::kNodeFsAvailable, {}), 1U);
  node.stats[0].stale_disk->measured_at = Instant();
  EXPECT_TRUE(MayGo(node.pods[0], Signal::kNodeFsAvailable)) << "old figures count";
  node.pods[0].stats = nullptr;
  EXPECT_TRUE(MayGo(node.pods[0], Signal::kNodeFsAvailable)) << "as a pod without stats";
}

TEST(Ranking, IoPressureRanksByBeingStalledThenPriorityThenOwnPressure) {
  Node node({{"a", 0, 0, 0},
             {"b", 9, 0, 0},
             {"c", 1, 0, 0},
             {"d", 1, 0, 0},
             {"e", 0, 0, {}},
             {"f", 0, 0, 0}});
  node.stats[1].io_some_avg10 = 900;
  node.stats[2].io_some_avg10 = 100;
  node.stats[3].io_some_avg10 = 9000;
  node.stats[5].io_some_avg10 = 0;
  EXPECT_EQ(Order(node, Signal::kIoPressureSomeAvg60), "dcbaef") << "unknown counts as none";
}

TEST(Ranking, SwapRanksByExceedingTheRequestWithItThenPriorityThenSwap) {
  Node node({{"a", 0, 100, 60},  // 40 swapped: just what it requested
             {"b", 9, 10, 5},    // 6 swapped: one too much, high priority
             {"c", 1, 0, 1000},  // 10 swapped
             {"d", 1, 0, 1},     // 20 swapped
             {"e", 0, 0, 5000},  // none
             {"f", 0, 0, {}}});  // nothing known
  const std::uint64_t swapped[] = {40, 6, 10, 20, 0, 0};
  for (std::size_t i = 0; i < node.stats.size(); ++i) node.stats[i].swap_bytes = swapped[i];
  EXPECT_EQ(Order(node, Signal::kSwapAvailable), "dcbaef");
}

TEST(Ranking, WhoHasNothingOfSwapOrStallsIsNotEvictedForThem) {
  Node node({{"a", 0, 0, 500}, {"b", 9, 0, 5}, {"c", 0, 0, {}}});
  const auto expect_victim = [&](std::optional<std::size_t> victim) {
    EXPECT_EQ(FirstVictim(node.pods, Signal::kSwapAvailable, {}), victim);
    EXPECT_EQ(FirstVictim(node.pods, Signal::kIoPressureFullAvg10, {}), victim);
  };
  for (PodStats& stats : node.stats) stats.swap_bytes = 0, stats.io_some_avg10 = 0;
  expect_victim(std::nullopt);
  node.stats[1].swap_bytes = 1;
  node.stats[1].io_some_avg10 = 1;
  expect_victim(1);
}

TEST(Ranking, WhereSwapIsNotAccountedMemoryDecides) {
  const Node node({{"a", 5, 100, 50}, {"b", 9, 10, 11}, {"c", 1, 10, 20}, {"d", 1, 10, 30}});
  EXPECT_EQ(Order(node, Signal::kSwapAvailable), Order(node, Signal::kMemoryAvailable));
  EXPECT_EQ(FirstVictim(node.pods, Signal::kSwapAvailable, {}), 3U);
  const Node unknown({{"a", 0, 0, {}}, {"b", 0, 0, 0}});
  EXPECT_EQ(FirstVictim(unknown.pods, Signal::kSwapAvailable, {}), std::nullopt)
      << "no pod is known to have any";
}

TEST(Ranking, EqualPodsGoInOrderOfTheirUids) {
  const Node node({{"c", 0, 0, 5}, {"a", 0, 0, 5}, {"b", 0, 0, 5}});
  EXPECT_EQ(Order(node, Signal::kMemoryAvailable), "abc");
}

TEST(Ranking, TheFirstVictimIsTheFirstThatIsNotCritical) {
  Node node({{"a", 0, 0, 300}, {"b", 0, 0, 200}, {"c", 0, 0, 100}});
  node.facts[0].protection = Protection::kCritical;
  EXPECT_EQ(FirstVictim(node.pods, Signal::kMemoryAvailable, {}), 1U);
  node.facts[1].protection = node.facts[2].protection = Protection::kObserved;
  EXPECT_EQ(FirstVictim(node.pods, Signal::kMemoryAvailable, {}), std::nullopt);
}

TEST(Ranking, NamesTheFieldThatDecided) {
  const Node node({{"a", 5, 100, 50},
                   {"b", 9, 10, 11},
                   {"c", 1, 10, 20},
                   {"d", 1, 10, 20},
                   {"e", 1, 10, 30},
                   {"f", 0, 0, {}}});
  const auto field = [&](std::size_t first, std::size_t second) {
    return DecidingField(RankOf(node.pods[first], Signal::kMemoryAvailable, {}),
                         RankOf(node.pods[second], Signal::kMemoryAvailable, {}));
  };
  EXPECT_EQ(field(5, 0), "no statistics");
  EXPECT_EQ(field(1, 0), "usage above request");
  EXPECT_EQ(field(2, 1), "priority");
  EXPECT_EQ(field(4, 2), "usage minus request");
  EXPECT_EQ(field(2, 3), "UID");
}

}  // namespace
}  // namespace jettison
