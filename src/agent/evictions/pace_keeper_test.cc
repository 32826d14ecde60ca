#include "agent/evictions/pace_keeper.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr Instant kFirstLook{std::chrono::hours(1)};

TEST(PaceKeeper, TheKubeletDecidesAgainACleanUpPollAfterThePodIsGone) {
  PaceKeeper keeper;
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kFirstLook), std::nullopt);
  keeper.Evicted(Resource::kMemory, true, seconds(1), kFirstLook);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kFirstLook), kFirstLook + seconds(2));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kPids, kFirstLook), std::nullopt);
  const Instant gone = kFirstLook + milliseconds(70);
  keeper.CleanedUp(true, gone);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, gone), gone + seconds(1));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, gone + seconds(1)), std::nullopt);
}

TEST(PaceKeeper, WhileAPodWillNotGoTheKubeletPollsOnUntilItHasHadEnough) {
  PaceKeeper keeper;
  keeper.Evicted(Resource::kMemory, true, seconds(1), kFirstLook);
  const Instant late = kFirstLook + seconds(20);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, late), late + seconds(1));
  keeper.CleanedUp(false, late);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, late), std::nullopt);
}

TEST(PaceKeeper, ASoftEvictionThatIsAwaitedPutsOffNoOtherOne) {
  PaceKeeper keeper;
  keeper.Evicted(Resource::kMemory, false, seconds(30), kFirstLook);
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kFirstLook), std::nullopt);
  keeper.CleanedUp(true, kFirstLook + seconds(5));
  EXPECT_EQ(keeper.KubeletDecides(Resource::kMemory, kFirstLook + seconds(5)),
            kFirstLook + seconds(6));
}

TEST(PaceKeeper, GrowthIsOfWhatIsNotEndingAndOfThePodsThatMayGo) {
  PaceKeeper keeper;
  for (int i = 0; i <= 10; ++i) {
    // An ending pod, one that may go, and something else grow by 2 MiB each time.
    keeper.Held(Signal::kMemoryAvailable,
                {.available = (500 - 6 * i) * kMebibyte, .capacity = 1000 * kMebibyte},
                {.pods = (100 + 2 * i) * kMebibyte, .ending = (50 + 2 * i) * kMebibyte}, true,
                kFirstLook + i * milliseconds(5));
  }
  const PaceInput input =
      keeper.InputFor(Signal::kMemoryAvailable, std::nullopt, kFirstLook + milliseconds(50));
  EXPECT_EQ(input.ending, 70 * kMebibyte);
  ASSERT_TRUE(input.growth);
  EXPECT_NEAR(static_cast<double>(*input.growth) / kMebibyte, 4 * 200 - 20, 25);
  EXPECT_NEAR(static_cast<double>(input.growth_of_pods) / kMebibyte, 2 * 200 - 20, 25);
}

TEST(PaceKeeper, OtherPodsAreNotCalledGrowth) {
  PaceKeeper keeper;
  const auto held = [&](int i, std::int64_t ending, bool same) {
    keeper.Held(Signal::kMemoryAvailable,
                {.available = 100 * kMebibyte, .capacity = 1000 * kMebibyte},
                {.pods = 0, .ending = ending * kMebibyte}, same, kFirstLook + i * milliseconds(5));
  };
  for (int i = 0; i < 10; ++i) held(i, 300, true);
  held(10, 0, false);  // it is gone, and what it left behind is charged to its parent
  const Instant now = kFirstLook + milliseconds(50);
  EXPECT_EQ(keeper.InputFor(Signal::kMemoryAvailable, std::nullopt, now).growth, std::nullopt);
}

}  // namespace
}  // namespace jettison
