#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kMebi = static_cast<std::int64_t>(kMi);

// Records its calls, and returns what the test says was reclaimed.
class FakeLadder : public MemoryLadder {
 public:
  void Seen(std::span<const Threshold> thresholds, const Observations& observations,
            std::span<const PodFacts* const> pods, Instant) override {
    EXPECT_FALSE(thresholds.empty());
    available.push_back(observations[Signal::kMemoryAvailable]->available / kMebi);
    pod_count = pods.size();
  }
  std::vector<ReclaimedMemory> TakeReclaimed() override { return std::exchange(taken, {}); }

  std::vector<std::int64_t> available;
  std::size_t pod_count = 0;
  std::vector<ReclaimedMemory> taken;
};

class NodeLadder : public NodeTestBed {
 protected:
  void SetUp() override {
    ladder_ = &fake_;
    Start();
    fake_.available.clear();
  }
  FakeLadder fake_;
};

TEST_F(NodeLadder, EveryPassTellsItWhatWasSeen) {
  figures_.SetAvailable(190);
  FullPass();
  EXPECT_THAT(fake_.available, ElementsAre(190, 190)) << "before the walk and after it";
  EXPECT_EQ(fake_.pod_count, 2U);
}

TEST_F(NodeLadder, WhatItTookIsInTheNextReportAndInNoOther) {
  const ReclaimedMemory taken{MemoryReclaim::kDead, "kubepods/podgone", 5 * kMi};
  fake_.taken = {taken};
  FullPass();
  EXPECT_THAT(node_->MakeSnapshot().last_report->reclaimed, ElementsAre(taken));
  FullPass();
  EXPECT_THAT(node_->MakeSnapshot().last_report->reclaimed, IsEmpty());
}

TEST_F(NodeLadder, AHardThresholdEvictsInTheVeryPassThatFindsItMet) {
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

}  // namespace
}  // namespace jettison
