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

TEST_F(EvictionWaitTest, EndsAfterThirtySecondsWhateverIsLeft) {
  wait_.Begin({"a"}, Resource::kMemory, true, At(0));
  EXPECT_EQ(Check(At(29)), std::nullopt);
  EXPECT_EQ(Check(At(30)), EvictionWait::Outcome::kTimedOut);
  EXPECT_TRUE(wait_.Allows(Of(Signal::kMemoryAvailable)));
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
