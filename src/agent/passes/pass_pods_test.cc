#include "agent/passes/pass_pods.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/passes/fake_figures.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

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

TEST_F(PassPodsTest, APlanForMemoryReadsThatOfAllPods) {
  pods_.ReadFor({.pods = PodFigures::kMemory});
  EXPECT_EQ(figures_.memory_reads, 1);
  EXPECT_EQ(StatsOf(0).memory_working_set_bytes, 300 * kMi);
  EXPECT_EQ(StatsOf(1).memory_working_set_bytes, 2 * kMi);
}

TEST_F(PassPodsTest, ContainersAreReadOfTheVictimAloneAndOnlyWhereThePlanSaysSo) {
  pods_.ReadAll(nullptr);
  pods_.Join();
  pods_.ReadVictim({.pods = PodFigures::kAll}, 0);
  EXPECT_TRUE(StatsOf(0).containers.empty()) << "they have been read with everything else";
  pods_.ReadVictim({.pods = PodFigures::kMemory}, 0);
  EXPECT_EQ(StatsOf(0).containers.size(), 1U);
  EXPECT_TRUE(StatsOf(1).containers.empty());
}

TEST_F(PassPodsTest, APassThatReadsNoPodsHasNoFigures) {
  pods_.ReadAll(nullptr);
  pods_.ReadFor({});
  EXPECT_TRUE(summary_.pods.empty());
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
