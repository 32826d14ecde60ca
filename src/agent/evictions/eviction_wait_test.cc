#include "agent/evictions/eviction_wait.h"

#include <gtest/gtest.h>

#include <set>

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant At(int second) {
  return Instant(seconds(second));
}

Threshold Of(Signal signal, int grace_seconds = 0) {
  return {.signal = signal,
          .value = Quantity::Of(1),
          .grace_period = seconds(grace_seconds),
          .min_reclaim = std::nullopt};
}

class EvictionWaitTest : public testing::Test {
 protected:
  std::optional<EvictionWait::Outcome> Check(Instant now) {
    return wait_.Check([this](std::string_view uid) { return there_.contains(uid); }, now);
  }
  std::set<std::string, std::less<>> there_ = {"a", "b"};
  EvictionWait wait_;
};

TEST_F(EvictionWaitTest, EndsWhenEveryPodIsGone) {
  EXPECT_FALSE(wait_.active());
  EXPECT_EQ(Check(At(0)), std::nullopt);
  wait_.Begin({"a", "b"}, Resource::kMemory, true, At(0));
  EXPECT_EQ(wait_.NextDeadline(), At(30));
  there_ = {"b"};
  EXPECT_EQ(Check(At(1)), std::nullopt);
  there_ = {};
  EXPECT_EQ(Check(At(2)), EvictionWait::Outcome::kCleanedUp);
  EXPECT_EQ(Check(At(3)), std::nullopt);
  EXPECT_EQ(wait_.NextDeadline(), std::nullopt);
}

TEST_F(EvictionWaitTest, EndsAfterThirtySecondsWhateverIsLeft) {
  wait_.Begin({"a"}, Resource::kMemory, true, At(0));
  EXPECT_EQ(Check(At(29)), std::nullopt);
  EXPECT_EQ(Check(At(30)), EvictionWait::Outcome::kTimedOut);
  EXPECT_TRUE(wait_.Allows(Of(Signal::kMemoryAvailable)));
}

TEST_F(EvictionWaitTest, AHardThresholdMayActWhileASoftEvictionIsAwaited) {
  EXPECT_TRUE(wait_.Allows(Of(Signal::kMemoryAvailable, 60)));
  wait_.Begin({"a"}, Resource::kMemory, false, At(0));
  EXPECT_TRUE(wait_.Allows(Of(Signal::kMemoryAvailable)));
  EXPECT_FALSE(wait_.Allows(Of(Signal::kMemoryAvailable, 60)));
}

TEST_F(EvictionWaitTest, SoftThresholdsWaitAndHardOnesAreLeftToThePaceOfEvictions) {
  wait_.Begin({"a"}, Resource::kMemory, false, At(0));
  EXPECT_FALSE(wait_.hard());
  wait_.Begin({"a"}, Resource::kMemory, true, At(5));
  EXPECT_TRUE(wait_.hard());
  EXPECT_EQ(wait_.NextDeadline(), At(35));
  EXPECT_TRUE(wait_.Allows(Of(Signal::kMemoryAvailable)));
  EXPECT_TRUE(wait_.Allows(Of(Signal::kPidAvailable)));
  EXPECT_FALSE(wait_.Allows(Of(Signal::kMemoryAvailable, 60)));
  EXPECT_FALSE(wait_.Allows(Of(Signal::kPidAvailable, 60)));
}

TEST_F(EvictionWaitTest, WhoGoesForMemoryGivesSwapBackButMemoryDoesNotWaitForSwap) {
  wait_.Begin({"a"}, Resource::kMemory, true, At(0));
  EXPECT_FALSE(wait_.Allows(Of(Signal::kSwapAvailable)));
  EvictionWait other;
  other.Begin({"b"}, Resource::kSwap, true, At(0));
  EXPECT_TRUE(other.Allows(Of(Signal::kMemoryAvailable)));
}

}  // namespace
}  // namespace jettison
