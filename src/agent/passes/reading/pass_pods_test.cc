#include "agent/passes/reading/pass_pods.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "agent/passes/reading/fake_figures.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

constexpr std::array<ReadStep, 2> kContendersThenVictim = {
    {{.figures = PodFigures::kMemory, .pods = PodsToRead::kContenders},
     {.figures = PodFigures::kContainers, .pods = PodsToRead::kFirstVictim}}};
constexpr std::array<ReadStep, 1> kMemoryOfEach = {
    {{.figures = PodFigures::kMemory, .pods = PodsToRead::kEachPod}}};

class PassPodsTest : public testing::Test {
 protected:
  PassPodsTest() {
    Add("hog", 300 * kMi);
    Add("small", 2 * kMi);
    Add("idle", kMi);
    pods_.Begin(active_);
  }
  void Add(const std::string& name, std::uint64_t memory) {
    auto facts = std::make_unique<PodFacts>();
    facts->pod = PodNamed(name);
    active_.push_back(facts.get());
    owned_.push_back(std::move(facts));
    figures_.memory[name] = memory;
    figures_.tasks[name] = 1;
  }
  [[nodiscard]] const PodStats& StatsOf(std::size_t pod) const { return summary_.pods.at(pod); }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  FakeFigures figures_{clock_};
  std::vector<std::unique_ptr<PodFacts>> owned_;
  std::vector<const PodFacts*> active_;
  Summary summary_;
  PassPods pods_{figures_, summary_};
};

TEST_F(PassPodsTest, ContendersAreReadAloneUntilTheOthersAreAskedFor) {
  pods_.ReadAll(nullptr);  // so that the hog is known
  pods_.ReadContenders(Resource::kMemory);
  EXPECT_TRUE(pods_.HavePassedOver());
  EXPECT_EQ(StatsOf(0).memory_working_set_bytes, 300 * kMi);
  EXPECT_FALSE(StatsOf(1).memory_working_set_bytes);
  pods_.ReadOthers();
  EXPECT_FALSE(pods_.HavePassedOver());
  EXPECT_EQ(StatsOf(1).memory_working_set_bytes, 2 * kMi);
}

TEST_F(PassPodsTest, APlanHasTheFiguresOfAllPodsThoughItNamesContenders) {
  pods_.ReadAll(nullptr);
  pods_.ReadFor({.pods = kContendersThenVictim});
  EXPECT_FALSE(pods_.HavePassedOver());
  EXPECT_EQ(StatsOf(0).memory_working_set_bytes, 300 * kMi);
  EXPECT_EQ(StatsOf(1).memory_working_set_bytes, 2 * kMi);
  EXPECT_EQ(figures_.memory_reads, 0);
  EXPECT_TRUE(StatsOf(1).passed_over_at) << "the step for the victim has read nothing";
  pods_.ReadFor({.pods = kMemoryOfEach});
  EXPECT_EQ(figures_.memory_reads, 1);
}

TEST_F(PassPodsTest, WhoWasPassedOverIsForgottenWhenAnotherPassBegins) {
  pods_.ReadContenders(Resource::kMemory);
  ASSERT_TRUE(pods_.HavePassedOver());
  pods_.Begin(active_);
  EXPECT_FALSE(pods_.HavePassedOver());
}

TEST_F(PassPodsTest, ContainersAreReadOfTheVictimAloneAndOnlyWhereThePlanSaysSo) {
  pods_.ReadAll(nullptr);
  pods_.Join();
  pods_.ReadVictim({.pods = kMemoryOfEach}, 0);
  EXPECT_TRUE(StatsOf(0).containers.empty());
  pods_.ReadVictim({.pods = kContendersThenVictim}, 0);
  EXPECT_EQ(StatsOf(0).containers.size(), 1U);
  EXPECT_TRUE(StatsOf(1).containers.empty());
}

TEST_F(PassPodsTest, FiguresAtRestAreReadWhereNoThresholdActs) {
  pods_.ReadAll(nullptr);
  EXPECT_EQ(figures_.reads_at_rest, 0);
  pods_.ReadAll(nullptr, PassPods::Reading::kAtRest);
  EXPECT_EQ(figures_.reads_at_rest, 1);
}

TEST_F(PassPodsTest, APassThatReadsNoPodsHasNoFiguresAndLeavesTheirMemoryToTheNext) {
  pods_.ReadAll(nullptr);
  const PodStats* const where = summary_.pods.data();
  pods_.ReadFor({});
  EXPECT_TRUE(summary_.pods.empty());
  pods_.ReadContenders(Resource::kMemory);
  EXPECT_EQ(summary_.pods.data(), where);
}

TEST_F(PassPodsTest, PodsAreJoinedWithTheFiguresThatWereReadLast) {
  pods_.ReadAll(nullptr);
  figures_.memory["idle"] = 5 * kMi;
  pods_.ReadAll(nullptr);
  pods_.Join();
  ASSERT_EQ(pods_.joined().size(), 3U);
  EXPECT_EQ(pods_.joined()[2].facts, active_[2]);
  EXPECT_EQ(pods_.joined()[2].stats->memory_working_set_bytes, 5 * kMi);
}

}  // namespace
}  // namespace jettison
