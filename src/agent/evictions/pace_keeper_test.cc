#include "agent/evictions/pace_keeper.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr Instant kBegin{std::chrono::hours(1)};

TEST(PaceKeeper, TheKubeletDecidesAgainACleanUpPollAfterThePodIsGone) {
  PaceKeeper keeper;
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kBegin), std::nullopt);
  keeper.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kBegin), kBegin + seconds(2));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kPids, kBegin), std::nullopt);
  const Instant gone = kBegin + milliseconds(70);
  keeper.CleanedUp(true, gone);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, gone), gone + seconds(1));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, gone + seconds(1)), std::nullopt);
}

TEST(PaceKeeper, WhileAPodWillNotGoTheKubeletPollsOnUntilItHasHadEnough) {
  PaceKeeper keeper;
  keeper.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  const Instant late = kBegin + seconds(20);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, late), late + seconds(1));
  keeper.CleanedUp(false, late);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, late), std::nullopt);
}

TEST(PaceKeeper, ASoftEvictionThatIsAwaitedPutsOffNoOtherOne) {
  PaceKeeper keeper;
  keeper.Evicted(Resource::kMemory, false, seconds(30), kBegin);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kBegin), std::nullopt);
  keeper.CleanedUp(true, kBegin + seconds(5));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kBegin + seconds(5)), kBegin + seconds(6));
}

TEST(PaceKeeper, GrowthIsOfWhatIsNotEndingAndOfThePodsThatMayGo) {
  PaceKeeper keeper;
  for (int i = 0; i <= 10; ++i) {
    // An ending pod, one that may go, and something else grow by 2 MiB each time.
    keeper.Held(Signal::kMemoryAvailable,
                {.available = (500 - 6 * i) * kMi, .capacity = 1000 * kMi},
                {.pods = (100 + 2 * i) * kMi, .ending = (50 + 2 * i) * kMi}, true,
                kBegin + i * milliseconds(5));
  }
  const PaceInput input =
      keeper.InputFor(Signal::kMemoryAvailable, std::nullopt, kBegin + milliseconds(50));
  EXPECT_EQ(input.ending, 70 * kMi);
  ASSERT_TRUE(input.growth);
  EXPECT_NEAR(static_cast<double>(*input.growth) / kMi, 4 * 200 - 20, 25);
  EXPECT_NEAR(static_cast<double>(input.growth_of_pods) / kMi, 2 * 200 - 20, 25);
}

TEST(PaceKeeper, OtherPodsAreNotCalledGrowth) {
  PaceKeeper keeper;
  const auto held = [&](int i, std::int64_t ending, bool same) {
    keeper.Held(Signal::kMemoryAvailable, {.available = 100 * kMi, .capacity = 1000 * kMi},
                {.pods = 0, .ending = ending * kMi}, same, kBegin + i * milliseconds(5));
  };
  for (int i = 0; i < 10; ++i) held(i, 300, true);
  held(10, 0, false);  // it is gone, and what it left behind is charged to its parent
  const Instant now = kBegin + milliseconds(50);
  EXPECT_EQ(keeper.InputFor(Signal::kMemoryAvailable, std::nullopt, now).growth, std::nullopt);
}

}  // namespace
}  // namespace jettison
