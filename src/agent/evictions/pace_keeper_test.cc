#include "agent/evictions/pace_keeper.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr Instant kFirstLook{std::chrono::hours(1)};
constexpr HolderChange kSame;

// Looks 5 ms apart at a node of 1000 MiB; amounts in MiB.
class PaceKeeperTest : public testing::Test {
 protected:
  void Look(std::int64_t available, std::int64_t pods, std::int64_t ending,
            std::optional<HolderChange> change = kSame) {
    now_ += milliseconds(5);
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = available * kMebibyte, .capacity = 1000 * kMebibyte},
                 {.pods = pods * kMebibyte, .ending = ending * kMebibyte, .change = change}, now_);
  }
  [[nodiscard]] PaceInput Input() const {
    return keeper_.InputFor(Signal::kMemoryAvailable, std::nullopt, now_);
  }
  // MiB a second; -1: not known.
  [[nodiscard]] double Growth() const {
    const auto growth = Input().growth;
    return growth ? static_cast<double>(*growth) / kMebibyte : -1;
  }
  [[nodiscard]] double GrowthOfPods() const {
    return static_cast<double>(Input().growth_of_pods) / kMebibyte;
  }

  PaceKeeper keeper_;
  Instant now_ = kFirstLook;
};

// A hundred pods of 4 MiB, each of which grows too little for a look to see it.
class ManyPodsTest : public PaceKeeperTest {
 protected:
  ManyPodsTest() {
    for (PodFacts& pod : facts_) {
      pod.identity = each_.size();
      each_.emplace_back(pod, 4 * kMebibyte);
    }
  }
  // On a node that has `spare` MiB beside the 400 of the pods, which have grown to `all`.
  void LookAtAll(std::int64_t all, std::int64_t spare, std::int64_t line, int ending,
                 std::optional<HolderChange> change) {
    const std::int64_t capacity = 400 + spare;
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = (capacity - all) * kMebibyte, .capacity = capacity * kMebibyte},
                 {.pods = (all - ending) * kMebibyte,
                  .ending = ending * kMebibyte,
                  .each = each_,
                  .change = change,
                  .line = line * kMebibyte},
                 now_ += milliseconds(5));
  }
  // One more of them begins to end.
  HolderChange EndOne() {
    each_.pop_back();
    return {.any = true, .left_pods = 4 * kMebibyte, .began_to_end = 4 * kMebibyte};
  }

 private:
  std::vector<PodFacts> facts_{100};
  std::vector<PodAmount> each_;
};

TEST_F(PaceKeeperTest, GrowthIsOfWhatIsNotEndingAndOfThePodsThatMayBeEvicted) {
  // An ending pod, a pod that may be evicted, and something else each grow by 2 MiB at each look.
  for (int i = 0; i <= 10; ++i) Look(500 - 6 * i, 100 + 2 * i, 50 + 2 * i);
  EXPECT_EQ(Input().ending, 70 * kMebibyte);
  EXPECT_NEAR(Growth(), 4 * 200 - 20, 25);
  EXPECT_NEAR(GrowthOfPods(), 2 * 200 - 20, 25);
}

TEST_F(PaceKeeperTest, PodsThatComeAreNotCalledGrowth) {
  for (int i = 0; i < 10; ++i) Look(100, 0, 300);
  Look(100, 250, 300, std::nullopt);
  EXPECT_EQ(Growth(), -1);
}

TEST_F(PaceKeeperTest, WhatAPodThatIsGoneLeavesBehindIsNotCalledGrowth) {
  for (int i = 0; i < 10; ++i) Look(100, 0, 300);
  // What the pod held is charged to the group above it.
  Look(100, 0, 0, HolderChange{.any = true, .gone = 300 * kMebibyte});
  for (int i = 0; i < 6; ++i) Look(100, 0, 0);
  EXPECT_EQ(Growth(), 0);
}

// The look at which the first pod was evicted counts for what follows.
TEST_F(PaceKeeperTest, GrowthBesideAPodThatBeginsToEndIsKnownAtTheSecondLookAfterIt) {
  Look(100, 400, 0);
  Look(94, 106, 300,
       HolderChange{.any = true, .left_pods = 300 * kMebibyte, .began_to_end = 300 * kMebibyte});
  EXPECT_EQ(Growth(), -1);
  Look(88, 112, 300);
  EXPECT_NEAR(Growth(), 1100, 1);  // 12 MiB in 10 ms, less the jitter
  EXPECT_NEAR(GrowthOfPods(), 1100, 1);
}

TEST_F(PaceKeeperTest, ThePodThatGrowsFastestIsNamed) {
  PodFacts slow;
  PodFacts fast;
  fast.pod.uid = "fast";
  fast.identity = 1;
  for (int i = 0; i < 3; ++i) {
    const std::array each = {PodAmount{slow, (50 + i) * kMebibyte},
                             PodAmount{fast, (20 + 6 * i) * kMebibyte}};
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = (80 - 7 * i) * kMebibyte, .capacity = 1000 * kMebibyte},
                 {.pods = (70 + 7 * i) * kMebibyte, .each = each, .change = kSame},
                 now_ += milliseconds(5));
  }
  EXPECT_EQ(Input().fastest, (PodGrowth{.pod_uid = "fast", .growth = 1100 * kMebibyte}));
}

TEST_F(ManyPodsTest, BesideOneThatEndsWhatWasMeasuredCountsUntilTheNextLooks) {
  std::int64_t all = 398;
  const auto look = [&](int ending, std::optional<HolderChange> change = kSame) {
    LookAtAll(all += 2, 40, 100, ending, change);
  };
  for (int i = 0; i < 8; ++i) look(0);
  const double before = Growth();
  EXPECT_NEAR(before, 400, 40);
  look(4, EndOne());
  EXPECT_NEAR(Growth(), before * 0.99, 1) << "less the share of the one that ends";
  EXPECT_NEAR(GrowthOfPods(), Growth(), 20);
  look(4);
  look(4);
  EXPECT_NEAR(Growth(), 300, 100) << "measured again";
}

// Enough is left for a while, so that new growth would have to last before it counts.
TEST_F(ManyPodsTest, BesideThoseThatEndTheGrowthOfTheOthersIsKnownAllTheTimeUntilItEnds) {
  std::int64_t all = 400;
  const auto look = [&](std::int64_t grown, int ending,
                        std::optional<HolderChange> change = kSame) {
    LookAtAll(all += grown, 440, 600, ending, change);
  };
  for (int i = 0; i < 12; ++i) look(3, 0);
  const double before = Growth();
  EXPECT_NEAR(before, 600, 60);
  for (const int ending : {4, 8, 12}) {
    look(3, ending, EndOne());
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(Growth(), before, 60) << ending << " MiB are ending, look " << i;
      look(3, ending);
    }
  }
  look(0, 16, EndOne());
  for (int i = 0; i < 2; ++i) look(0, 16);
  EXPECT_EQ(Growth(), -1) << "a tenth of a second would be too long";
}

TEST_F(PaceKeeperTest, OfTheGrowthOfOneThatEndsNothingIsRemembered) {
  PodFacts leak;
  PodFacts idle;
  idle.identity = 1;
  std::vector<PodAmount> each = {{leak, 0}, {idle, 100 * kMebibyte}};
  for (int i = 0; i < 8; ++i) {
    each.front().amount = std::int64_t{5} * i * kMebibyte;
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = (135 - 5 * i) * kMebibyte, .capacity = 1000 * kMebibyte},
                 {.pods = (100 + 5 * i) * kMebibyte, .each = each, .change = kSame},
                 now_ += milliseconds(5));
  }
  EXPECT_NEAR(Growth(), 1000, 100);
  each.erase(each.begin());
  keeper_.Held(
      Signal::kMemoryAvailable, {.available = 95 * kMebibyte, .capacity = 1000 * kMebibyte},
      {.pods = 100 * kMebibyte,
       .ending = 40 * kMebibyte,
       .each = each,
       .change =
           HolderChange{.any = true, .left_pods = 35 * kMebibyte, .began_to_end = 35 * kMebibyte}},
      now_ += milliseconds(5));
  EXPECT_EQ(Growth(), -1);
}

// At the limit nothing can grow, which does not mean that nothing would.
TEST_F(PaceKeeperTest, WhereNothingIsLeftWhatWasMeasuredBeforeCounts) {
  const auto look = [&](std::int64_t available, std::int64_t pods) {
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = available * kMebibyte, .capacity = 1000 * kMebibyte},
                 {.pods = pods * kMebibyte, .change = kSame, .line = 100 * kMebibyte},
                 now_ += milliseconds(5));
  };
  for (int i = 0; i < 10; ++i) look(54 - 6 * i, 900 + 6 * i);
  for (int i = 0; i < 100; ++i) look(i % 2, 954);
  EXPECT_GT(Growth(), 900) << "half a second later";
  EXPECT_GT(GrowthOfPods(), 900);
  for (int i = 0; i < 30; ++i) look(20, 934);
  EXPECT_EQ(Growth(), 0) << "what is left is not taken";
}

TEST_F(PaceKeeperTest, WhereNothingWasLeftFromTheBeginningNothingIsKnown) {
  for (int i = 0; i < 100; ++i) {
    keeper_.Held(Signal::kMemoryAvailable, {.available = 0, .capacity = 1000 * kMebibyte},
                 {.pods = 900 * kMebibyte, .change = kSame, .line = 100 * kMebibyte},
                 now_ += milliseconds(5));
  }
  EXPECT_EQ(Growth(), 0);
}

// The kernel ends a pod and the memory is taken at once: others want that much.
TEST_F(PaceKeeperTest, WhereNothingIsLeftWhatTheKernelTakesFromPodsCountsAsGrowth) {
  const auto look = [&](std::int64_t available) {
    keeper_.Held(Signal::kMemoryAvailable,
                 {.available = available * kMebibyte, .capacity = 1000 * kMebibyte},
                 {.pods = 900 * kMebibyte, .change = kSame, .line = 100 * kMebibyte},
                 now_ += milliseconds(5));
  };
  for (int i = 0; i < 50; ++i) look(0);
  EXPECT_EQ(Growth(), 0);
  keeper_.Lost(20 * kMebibyte, now_);
  keeper_.Lost(30 * kMebibyte, now_);
  look(0);
  EXPECT_EQ(Growth(), 50);
  EXPECT_EQ(GrowthOfPods(), 50);
  for (int i = 0; i < 190; ++i) look(0);
  EXPECT_EQ(Growth(), 50) << "for a second";
  for (int i = 0; i < 10; ++i) look(0);
  EXPECT_EQ(Growth(), 0);
  keeper_.Lost(50 * kMebibyte, now_);
  for (int i = 0; i < 30; ++i) look(50);
  EXPECT_EQ(Growth(), 0) << "nobody has taken it";
}

TEST_F(PaceKeeperTest, GrowthThatLeavesTimeHasToLast) {
  Look(500, 100, 0);
  for (int i = 1; i <= 4; ++i) {
    Look(500 - 6 * i, 100 + 6 * i, 0);
    EXPECT_EQ(Growth(), -1) << i;
  }
  Look(470, 130, 0);
  EXPECT_NEAR(Growth(), 1160, 1);
}

}  // namespace
}  // namespace jettison
