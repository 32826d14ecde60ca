#include "core/decide/victim_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace jettison {
namespace {

// A pod whose name is its UID.
struct SearchedPod {
  std::string uid;
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  std::int64_t request = 0;
  std::optional<std::uint64_t> used = 0;  // absent: its group is gone
  std::uint64_t file = 0;                 // charged to it, but not in the working set
  std::uint64_t known = 0;                // what it was last known to use
  bool in_class = true;                   // its group is below that of its class
  Protection protection = Protection::kNone;
};

// A node that counts what is read.
struct SearchedNode {
  explicit SearchedNode(std::vector<SearchedPod> all, Resource of = Resource::kMemory)
      : candidates(std::move(all)), facts(candidates.size()), stats(candidates.size()) {
    resource = of;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const SearchedPod& from = candidates[i];
      facts[i].pod.uid = from.uid;
      facts[i].qos = from.qos;
      facts[i].priority = from.priority;
      facts[i].memory_request = from.request * kNanosPerUnit;
      facts[i].protection = from.protection;
      stats[i].memory_working_set_bytes = from.used;
      stats[i].process_count = from.used;
      pods.push_back(&facts[i]);
      active.push_back({&facts[i], &stats[i]});
      known.push_back(from.known);
      in_class.push_back(from.in_class ? 1 : 0);
    }
  }

  // The group of the guaranteed pods is that of all pods, with the groups of the other classes.
  [[nodiscard]] std::uint64_t ClassCharge(QosClass qos) const {
    const bool is_whole = qos == QosClass::kGuaranteed;
    std::uint64_t sum = is_whole ? 3 * elsewhere : elsewhere;
    for (const SearchedPod& pod : candidates) {
      if (!pod.in_class || (!is_whole && pod.qos != qos)) continue;
      sum += pod.used.value_or(0) + pod.file;
    }
    return sum;
  }
  [[nodiscard]] std::optional<std::uint64_t> Read(const SearchStep& step) {
    ++reads;
    if (move) move(candidates);
    const SearchedPod& pod = candidates[step.pod];
    if (step.reading != SearchReading::kClass) {
      then[step.pod] = pod.used.value_or(0);
      is_read[step.pod] = true;
    } else if (step.qos == pod.qos) {  // not for the sake of another class
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const bool is_in = candidates[i].qos == step.qos && candidates[i].in_class;
        if (is_in && !is_read[i]) then[i] = candidates[i].used.value_or(0);
      }
    }
    switch (step.reading) {
      case SearchReading::kClass:
        return classes_fail ? std::nullopt : std::optional(ClassCharge(step.qos));
      case SearchReading::kCharge: {
        if (!pod.used || resource == Resource::kPids) return pod.used;
        return *pod.used + pod.file;
      }
      case SearchReading::kFigure: ++figures; return pod.used;
    }
    __builtin_unreachable();
  }
  std::optional<std::size_t> Search() {
    is_read.assign(pods.size(), false);
    then.assign(pods.size(), 0);
    search.Begin(resource, pods, known, in_class);
    while (const auto step = search.Next()) search.Answer(Read(*step));
    return search.victim();
  }
  [[nodiscard]] std::optional<std::size_t> Full() const {
    const Signal signal =
        resource == Resource::kPids ? Signal::kPidAvailable : Signal::kMemoryAvailable;
    return FirstVictim(active, signal, {});
  }

  Resource resource = Resource::kMemory;
  std::vector<SearchedPod> candidates;
  std::vector<PodFacts> facts;
  std::vector<PodStats> stats;
  std::vector<const PodFacts*> pods;
  std::vector<ActivePod> active;
  std::vector<std::uint64_t> known;
  std::vector<std::uint8_t> in_class;
  std::vector<bool> is_read;        // the pod's charge, at least
  std::vector<std::uint64_t> then;  // used when the pod was read, or else its class
  std::function<void(std::vector<SearchedPod>&)> move;  // before each reading
  std::uint64_t elsewhere = 0;                          // charged to a class beside its pods
  bool classes_fail = false;
  VictimSearch search;
  int reads = 0;
  int figures = 0;
};

std::vector<SearchedPod> Idle(int count, std::uint64_t each) {
  std::vector<SearchedPod> pods;
  for (int i = 0; i < count; ++i)
    pods.push_back({.uid = "idle-" + std::to_string(i), .used = each});
  return pods;
}

TEST(VictimSearch, ReadsAHogItsClassAndNobodyElse) {
  auto pods = Idle(1000, 1);
  pods.push_back({.uid = "hog", .used = 5000, .known = 4000});
  SearchedNode node(pods);
  EXPECT_EQ(node.Search(), 1000U);
  EXPECT_EQ(node.reads, 4) << "the class before and after it";
  EXPECT_TRUE(node.search.IsRead(1000));
  EXPECT_FALSE(node.search.BoundOf(1000));
  EXPECT_EQ(node.search.BoundOf(0), 1000U);  // what the class holds apart from the hog
}

TEST(VictimSearch, FindsAHogThatNobodyKnewOf) {
  auto pods = Idle(1000, 1);
  pods.insert(pods.begin() + 500, {.uid = "hog", .used = 5000});
  SearchedNode node(pods);
  EXPECT_EQ(node.Search(), 500U);
  EXPECT_LE(node.reads, 1005);
  EXPECT_LE(node.figures, 2);
}

TEST(VictimSearch, PassesOverAPodWhoseChargeIsTooSmallWithoutItsFigure) {
  SearchedNode node({{.uid = "a", .used = 50, .known = 50},
                     {.uid = "b", .used = 10, .file = 60, .known = 10},
                     {.uid = "c", .used = 20, .known = 20}});
  EXPECT_EQ(node.Search(), 0U);
  EXPECT_TRUE(node.search.IsRead(1));  // 70 are charged to it, so it could have been the victim
  EXPECT_FALSE(node.search.IsRead(2));
  EXPECT_EQ(node.search.BoundOf(2), 20U);
}

TEST(VictimSearch, ALowerPriorityThatExceedsByAnythingGoesBeforeTheLargest) {
  SearchedNode node({{.uid = "large", .priority = 5, .used = 5000, .known = 5000},
                     {.uid = "small", .priority = 1, .used = 1}});
  EXPECT_EQ(node.Search(), 1U);
}

TEST(VictimSearch, APodOfOthersIsNotBoundedByAClass) {
  SearchedNode node(
      {{.uid = "own", .used = 50, .known = 50}, {.uid = "other", .used = 60, .in_class = false}});
  EXPECT_EQ(node.Search(), 1U);
}

TEST(VictimSearch, NobodyIsFoundWhereNobodyMayGo) {
  SearchedNode node({{.uid = "a", .used = 50, .protection = Protection::kCritical},
                     {.uid = "b", .used = 60, .protection = Protection::kObserved}});
  EXPECT_EQ(node.Search(), std::nullopt);
  EXPECT_EQ(node.reads, 0);
  EXPECT_EQ(SearchedNode({}).Search(), std::nullopt);
}

TEST(VictimSearch, WhereAClassCannotBeReadEachPodIsAsked) {
  SearchedNode node(Idle(100, 7));
  node.classes_fail = true;
  EXPECT_EQ(node.Search(), node.Full());
  EXPECT_GE(node.reads, 100);
}

TEST(VictimSearch, AChargeThatIsMoreThanAnyNumberOfTheUnitIsNoSmallOne) {
  SearchedNode node({{.uid = "a", .used = 50, .known = 50}, {.uid = "b", .used = 60}});
  node.elsewhere = ~std::uint64_t{0} - 1000;
  EXPECT_EQ(node.Search(), 1U);
}

TEST(VictimSearch, BeginsAnewWithoutWhatTheSearchBeforeHasFound) {
  SearchedNode node({{.uid = "a", .used = 50}});
  EXPECT_EQ(node.Search(), 0U);
  node.candidates[0].used = 40;
  EXPECT_EQ(node.Search(), 0U);
  EXPECT_EQ(node.reads, 6) << "each time the class, the charge and the figure";
}

// The group of all pods tells nothing of them while a hog of another class is in it.
TEST(VictimSearch, GuaranteedPodsAreBoundedByWhatTheOtherClassesLeave) {
  auto pods = Idle(1000, 1);
  for (SearchedPod& pod : pods) pod.qos = QosClass::kGuaranteed;
  pods.push_back({.uid = "hog", .used = 5000, .known = 4000});
  pods.push_back({.uid = "burstable", .qos = QosClass::kBurstable, .used = 2000, .known = 1});
  SearchedNode node(pods);
  EXPECT_EQ(node.Search(), 1000U);
  EXPECT_LE(node.reads, 10);
  EXPECT_EQ(node.search.BoundOf(0), 1000U);
}

// The hog ends while its class is read: what others hold is not what is left of the class.
TEST(VictimSearch, APodThatFreesWhatItHeldHidesNobodyElse) {
  SearchedNode node({{.uid = "hog", .priority = 5, .used = 5000, .known = 5000},
                     {.uid = "low", .priority = 1, .used = 50}});
  node.move = [&](std::vector<SearchedPod>& all) {
    if (node.figures == 1) all[0].used = 100;
  };
  EXPECT_EQ(node.Search(), 1U);
}

// A pod that grows after its class was read is not all that the class holds.
TEST(VictimSearch, APodThatGrowsMeanwhileHidesNobodyElse) {
  SearchedNode node({{.uid = "hog", .priority = 5, .used = 5000, .known = 5000},
                     {.uid = "low", .priority = 1, .used = 50}});
  node.move = [](std::vector<SearchedPod>& all) { *all[0].used += 100; };
  EXPECT_EQ(node.Search(), 1U);
}

// Few distinct values, so that ties and near misses are common.
class RandomNodes {
 public:
  explicit RandomNodes(unsigned seed) : random_(seed) {}
  SearchedNode Make(Resource resource) {
    std::vector<SearchedPod> pods(Upto(12));
    for (std::size_t i = 0; i < pods.size(); ++i) pods[i] = Pod(i);
    std::ranges::shuffle(pods, random_);
    SearchedNode node(std::move(pods), resource);
    node.classes_fail = Upto(8) == 0;
    node.elsewhere = Upto(3) == 0 ? Upto(10) : 0;
    return node;
  }
  // Some pods grow by some, or shrink, before each reading.
  std::function<void(std::vector<SearchedPod>&)> Movement(bool grows) {
    return [this, grows](std::vector<SearchedPod>& pods) {
      for (SearchedPod& pod : pods) {
        if (!pod.used || Upto(2) != 0) continue;
        const std::uint64_t step = Upto(4);
        pod.used = grows ? *pod.used + step : *pod.used - std::min(*pod.used, step);
      }
    };
  }

 private:
  std::uint64_t Upto(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random_);
  }
  SearchedPod Pod(std::size_t number) {
    return {.uid = std::string(1, static_cast<char>('a' + number)),
            .qos = static_cast<QosClass>(Upto(2)),
            .priority = static_cast<std::int32_t>(Upto(2)),
            .request = static_cast<std::int64_t>(Upto(2) * 5),
            .used = Upto(10) == 0 ? std::nullopt : std::optional(Upto(20)),
            .file = Upto(2) == 0 ? Upto(10) : 0,
            .known = Upto(20),
            .in_class = Upto(6) != 0,
            .protection = Upto(6) == 0 ? Protection::kCritical : Protection::kNone};
  }
  std::mt19937 random_;
};

TEST(VictimSearch, FindsWhomReadingEverythingWouldFind) {
  RandomNodes random(1);
  int passed_over = 0;
  for (int round = 0; round < 20000; ++round) {
    SearchedNode node = random.Make(round % 2 == 0 ? Resource::kMemory : Resource::kPids);
    ASSERT_EQ(node.Search(), node.Full()) << "round " << round;
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      const auto bound = node.search.BoundOf(i);
      if (!bound) continue;
      ++passed_over;
      ASSERT_LE(node.candidates[i].used.value_or(0), *bound) << "round " << round;
    }
  }
  EXPECT_GT(passed_over, 10000);
}

// The victim is the one that reading everything finds, each pod at some moment of the search,
// whether all grow or all shrink meanwhile.
TEST(VictimSearch, FindsWhomReadingEverythingWouldFindWhilePodsGrowOrShrink) {
  RandomNodes random(3);
  int passed_over = 0;
  for (int round = 0; round < 20000; ++round) {
    SearchedNode node = random.Make(Resource::kMemory);
    node.move = random.Movement(round % 2 == 0);
    const auto victim = node.Search();
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      node.stats[i].memory_working_set_bytes = node.then[i];
      const auto bound = node.search.BoundOf(i);
      if (!bound) continue;
      ++passed_over;
      ASSERT_LE(node.then[i], *bound) << "round " << round;
    }
    ASSERT_EQ(node.Full(), victim) << "round " << round;
  }
  EXPECT_GT(passed_over, 10000);
}

// What is read after the decision is limited to what was known then, so a decision by all of it
// finds the same victim.
TEST(VictimSearch, WhoeverWasPassedOverCouldNotHaveGoneAtHisBound) {
  RandomNodes random(2);
  for (int round = 0; round < 5000; ++round) {
    SearchedNode node = random.Make(Resource::kMemory);
    const auto victim = node.Search();
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      if (const auto bound = node.search.BoundOf(i)) {
        node.stats[i].memory_working_set_bytes = bound;
      }
    }
    ASSERT_EQ(node.Full(), victim) << "round " << round;
  }
}

}  // namespace
}  // namespace jettison
