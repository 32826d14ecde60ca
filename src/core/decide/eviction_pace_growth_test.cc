#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::size_t kPods = 100;

// Samples, 5 ms apart, of the memory of a node with a hundred pods; amounts in MiB.
class EvictionPaceGrowth : public testing::Test {
 protected:
  void Add(std::size_t pod, double amount, bool ending = false) {
    pods_.push_back(
        {.identity = pod, .amount = static_cast<std::int64_t>(amount * kMebi), .ending = ending});
  }
  // With the pods that were added since the last sample.
  void Sample(double available, double line = 100, std::optional<double> usage = std::nullopt) {
    Observations seen;
    seen[Signal::kMemoryAvailable] = Seen(available, usage);
    pace_.Seen(seen, now_ += milliseconds(5));
    pace_.Held(Signal::kMemoryAvailable, static_cast<std::int64_t>(line * kMebi),
               std::exchange(pods_, {}));
  }
  static Observation Seen(double available, std::optional<double> usage) {
    const auto bytes = [](double mi) { return static_cast<std::int64_t>(mi * kMebi); };
    return {.available = bytes(available),
            .capacity = 1000 * kMebi,
            .time = std::nullopt,
            .usage = usage ? std::optional(bytes(*usage)) : std::nullopt};
  }
  [[nodiscard]] PaceInput Input() const {
    return pace_.InputFor(Signal::kMemoryAvailable, std::nullopt, now_);
  }
  // MiB a second; -1: not known.
  [[nodiscard]] double Growth() const {
    const auto growth = Input().growth;
    return growth ? static_cast<double>(*growth) / kMebi : -1;
  }
  [[nodiscard]] double GrowthOfPods() const {
    return static_cast<double>(Input().growth_of_pods) / kMebi;
  }

  EvictionPace pace_;
  std::vector<PodAmount> pods_;
  Instant now_{std::chrono::hours(1)};
};

TEST_F(EvictionPaceGrowth, ItIsThatOfWhatIsNotEndingAndOfThePodsThatMayBeEvicted) {
  // An ending pod, a pod that may be evicted, and something else each grow by 2 MiB at each look.
  for (int i = 0; i <= 10; ++i) {
    Add(0, 100 + 2 * i);
    Add(1, 50 + 2 * i, true);
    Sample(90 - 6 * i);
  }
  EXPECT_EQ(Input().ending, 70 * kMebi);
  EXPECT_NEAR(Growth(), 800, 110);
  EXPECT_NEAR(GrowthOfPods(), 400, 110);
}

TEST_F(EvictionPaceGrowth, PodsThatComeAreNotCalledGrowth) {
  for (int i = 0; i < 10; ++i) Sample(350);
  Add(0, 250);
  Sample(100);
  EXPECT_LE(Growth(), 0);
  EXPECT_EQ(GrowthOfPods(), 0);
}

TEST_F(EvictionPaceGrowth, PageCacheThatBecomesActiveIsNotCalledGrowth) {
  for (int i = 0; i <= 10; ++i) {
    Add(0, 50 + 8 * i);
    Sample(95 - 9 * i, 100, 800 + 3 * i);
  }
  EXPECT_NEAR(Growth(), 600, 200);
  EXPECT_NEAR(static_cast<double>(pace_.GrowthOf(Signal::kMemoryAvailable)) / kMebi, 600, 210);
}

TEST_F(EvictionPaceGrowth, WhatAPodThatIsGoneLeavesBehindIsNotCalledGrowth) {
  for (int i = 0; i < 10; ++i) {
    Add(0, 300, true);
    Sample(100);
  }
  for (int i = 0; i < 30; ++i) {
    Sample(100);  // what the pod held is charged to the group above it
    EXPECT_LE(Growth(), 0);
  }
}

TEST_F(EvictionPaceGrowth, BesidePodsThatBeginToEndTheGrowthOfTheOthersIsKnownAllTheTime) {
  double each = 4;
  int available = 500;
  const auto sample = [&](std::size_t ending) {
    each += 0.04;
    available -= 4;
    for (std::size_t i = 0; i < kPods; ++i) Add(i, i < ending ? 4 : each, i < ending);
    Sample(available, 600);
  };
  for (int i = 0; i < 8; ++i) sample(0);
  EXPECT_NEAR(GrowthOfPods(), 800, 60);
  for (std::size_t ending = 1; ending < 10; ++ending) {
    sample(ending);
    EXPECT_NEAR(GrowthOfPods(), 800, 120) << ending;
  }
}

TEST_F(EvictionPaceGrowth, OfTheGrowthOfOneThatEndsNothingIsRemembered) {
  for (int i = 0; i < 8; ++i) {
    Add(0, 5 * i);
    Add(1, 100);
    Sample(100 - 5 * i);
  }
  EXPECT_NEAR(Growth(), 900, 100);
  Add(0, 40, true);
  Add(1, 100);
  Sample(60);
  EXPECT_LE(Growth(), 0);
}

// At the limit nothing can grow, which does not mean that nothing would.
TEST_F(EvictionPaceGrowth, WhereNothingIsLeftWhatWasMeasuredBeforeCounts) {
  const auto sample = [&](double available) {
    Add(0, 950 - available);
    Sample(available);
  };
  for (int i = 0; i < 10; ++i) sample(54 - 6 * i);
  for (int i = 0; i < 100; ++i) sample(i % 2);
  EXPECT_GT(Growth(), 900) << "half a second later";
  EXPECT_GT(GrowthOfPods(), 900);
  for (int i = 0; i < 30; ++i) sample(20);
  EXPECT_EQ(Growth(), 0) << "what is left is not taken";
}

TEST_F(EvictionPaceGrowth, GrowthHasToLast) {
  for (int i = 0; i <= 4; ++i) {
    Add(0, 100 + 6 * i);
    Sample(500 - 6 * i);
    EXPECT_EQ(Growth(), -1) << i;
  }
  Add(0, 130);
  Sample(470);
  EXPECT_NEAR(Growth(), 1160, 1);
}

TEST_F(EvictionPaceGrowth, TheGrowthOfAllThatIsUsedIsKnownAfterFiveMilliseconds) {
  Observations seen;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(pace_.GrowthOf(Signal::kMemoryAvailable), 0);
    seen[Signal::kMemoryAvailable] = {.available = (100 - 6 * i) * kMebi, .capacity = 1000 * kMebi};
    pace_.Seen(seen, now_ += milliseconds(5));
  }
  EXPECT_EQ(pace_.GrowthOf(Signal::kMemoryAvailable), 1000 * kMebi) << "less the jitter";
  EXPECT_EQ(pace_.GrowthOf(Signal::kPidAvailable), 0);
}

}  // namespace
}  // namespace jettison
