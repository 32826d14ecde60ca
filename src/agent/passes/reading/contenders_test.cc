#include "agent/passes/reading/contenders.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "agent/passes/reading/fake_figures.h"
#include "core/decide/decide.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

// Pods of one class; the fake has no other groups.
class ContendersTest : public testing::Test {
 protected:
  void Add(const std::string& name, std::uint64_t memory, std::uint64_t tasks = 1) {
    auto facts = std::make_unique<PodFacts>();
    facts->pod = PodNamed(name);
    pods_.push_back(facts.get());
    owned_.push_back(std::move(facts));
    figures_.memory[name] = memory;
    figures_.tasks[name] = tasks;
  }
  // A full pass has read all of them.
  void Know() {
    std::vector<PodStats> stats;
    figures_.ReadPods(pods_, nullptr, stats);
    contenders_.Take(pods_, stats);
  }
  [[nodiscard]] const PodStats& StatsOf(const std::string& name) const {
    return *std::ranges::find(stats_, name, &PodStats::uid);
  }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  FakeFigures figures_{clock_};
  std::vector<std::unique_ptr<PodFacts>> owned_;
  std::vector<const PodFacts*> pods_;
  std::vector<PodStats> stats_;
  Contenders contenders_{figures_};
};

TEST_F(ContendersTest, WhoCouldNotGoFirstIsReadAfterwards) {
  Add("hog", 300 * kMi);
  Add("small", 2 * kMi);
  Add("idle", kMi);
  Know();
  contenders_.Read(Resource::kMemory, pods_, stats_);
  EXPECT_EQ(figures_.charge_reads, 1);
  EXPECT_EQ(figures_.figure_reads, 1);
  EXPECT_EQ(StatsOf("hog").memory_working_set_bytes, 300 * kMi);
  EXPECT_FALSE(StatsOf("small").memory_working_set_bytes);
  EXPECT_FALSE(StatsOf("small").passed_over_at);

  ASSERT_TRUE(contenders_.HavePassedOver());
  contenders_.ReadOthers(pods_, stats_);
  EXPECT_EQ(StatsOf("hog").passed_over_at, std::nullopt);
  EXPECT_EQ(StatsOf("small").memory_working_set_bytes, 2 * kMi);
  EXPECT_EQ(StatsOf("small").passed_over_at, 3 * kMi) << "what the class holds apart from the hog";
  EXPECT_FALSE(contenders_.HavePassedOver());
}

TEST_F(ContendersTest, WhoeverGrowsMeanwhileIsHeldToWhatWasKnownOfHim) {
  Add("hog", 300 * kMi);
  Add("second", 299 * kMi);
  contenders_.Read(Resource::kMemory, pods_, stats_);
  figures_.memory["second"] = 400 * kMi;
  contenders_.ReadOthers(pods_, stats_);
  EXPECT_EQ(StatsOf("second").memory_working_set_bytes, 299 * kMi);
}

TEST_F(ContendersTest, AProtectedPodIsReadAsItIs) {
  Add("hog", 300 * kMi);
  Add("critical", 400 * kMi);
  owned_[1]->protection = Protection::kCritical;
  contenders_.Read(Resource::kMemory, pods_, stats_);
  EXPECT_FALSE(StatsOf("critical").memory_working_set_bytes);
  contenders_.ReadOthers(pods_, stats_);
  EXPECT_EQ(StatsOf("critical").memory_working_set_bytes, 400 * kMi);
  EXPECT_FALSE(StatsOf("critical").passed_over_at);
}

TEST_F(ContendersTest, ProcessIdsAreCountedByTheSameSearchAndAllElseIsReadAfterwards) {
  Add("bomb", kMi, 5000);
  Add("idle", 2 * kMi, 3);
  contenders_.Read(Resource::kPids, pods_, stats_);
  EXPECT_EQ(StatsOf("bomb").process_count, 5000U);
  EXPECT_FALSE(StatsOf("idle").process_count);
  figures_.tasks["bomb"] = 7000;
  contenders_.ReadOthers(pods_, stats_);
  EXPECT_EQ(StatsOf("bomb").process_count, 5000U) << "the decision was made by this count";
  EXPECT_EQ(StatsOf("bomb").memory_working_set_bytes, kMi);
  EXPECT_EQ(StatsOf("idle").process_count, 3U);
  EXPECT_EQ(StatsOf("idle").passed_over_at, 3U);
}

TEST_F(ContendersTest, WhatIsKnownOfPodsStaysKnownWhenOthersComeAndGo) {
  for (const char* name : {"a", "b", "c", "d"}) Add(name, kMi);
  figures_.memory["c"] = 300 * kMi;
  Know();
  pods_.erase(pods_.begin());
  Add("e", kMi);
  contenders_.Read(Resource::kMemory, pods_, stats_);
  EXPECT_EQ(figures_.charge_reads, 1) << "only the pod that was known to be the largest";
}

// A pass for process IDs while a disk that is short, too, waits for the disk use of the pods.
class ContendersBesideDiskTest : public ContendersTest {
 protected:
  void AddAtRandom(std::mt19937& random) {
    const auto below = [&](unsigned limit) { return random() % limit; };
    const std::size_t count = 1 + below(30);
    for (std::size_t i = 0; i < count; ++i) {
      Add("pod-" + std::to_string(i), kMi, below(6) == 0 ? below(5000) : below(4));
      owned_.back()->priority = static_cast<std::int32_t>(below(3));
      if (below(5) == 0) owned_.back()->protection = Protection::kCritical;
    }
  }
  static void MarkDiskUnknown(std::vector<PodStats>& stats) {
    for (PodStats& pod : stats) pod.stale_disk.emplace();
  }
  [[nodiscard]] Decision DecideBy(const std::vector<PodStats>& stats) const {
    std::vector<ActivePod> joined;
    for (std::size_t i = 0; i < pods_.size(); ++i) joined.push_back({pods_[i], &stats[i]});
    Evaluation evaluation;
    evaluation.acting[0] = evaluation.acting[1] = true;
    return Decide(thresholds_, false, {}, evaluation, joined);
  }

  std::vector<Threshold> thresholds_ = {
      {.signal = Signal::kNodeFsAvailable, .value = Quantity::Of(1)},
      {.signal = Signal::kPidAvailable, .value = Quantity::Of(1)}};
};

TEST_F(ContendersBesideDiskTest, TheVictimIsTheOneThatReadingEveryPodFinds) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    owned_.clear();
    pods_.clear();
    figures_.tasks.clear();
    AddAtRandom(random);
    contenders_.Read(Resource::kPids, pods_, stats_);
    MarkDiskUnknown(stats_);
    const Decision by_some = DecideBy(stats_);
    std::vector<PodStats> all;
    figures_.ReadPods(pods_, nullptr, all);
    MarkDiskUnknown(all);
    const Decision by_all = DecideBy(all);
    EXPECT_EQ(by_some.threshold, 1U);
    ASSERT_EQ(by_some.threshold, by_all.threshold) << "round " << round;
    ASSERT_EQ(by_some.victim, by_all.victim) << "round " << round;
    contenders_.ReadOthers(pods_, stats_);
    const Decision again = DecideBy(stats_);
    ASSERT_EQ(again.threshold, by_all.threshold) << "round " << round;
    ASSERT_EQ(again.victim, by_all.victim) << "round " << round;
  }
}

TEST(KnownFigures, APodAtTheAddressOfAFormerOneIsAnotherOne) {
  PodFacts facts;
  facts.pod.uid = "a";
  const std::vector<const PodFacts*> pods = {&facts};
  KnownFigures known;
  EXPECT_TRUE(known.Keep(pods));
  known.Take(std::vector<PodStats>{{.memory_working_set_bytes = 100}});
  EXPECT_FALSE(known.Keep(pods));
  EXPECT_EQ(known.Amounts(Resource::kMemory)[0], 100U);
  facts.pod.uid = "b";
  EXPECT_TRUE(known.Keep(pods));
  EXPECT_EQ(known.Amounts(Resource::kMemory)[0], 0U);
}

}  // namespace
}  // namespace jettison
