#include "agent/evictions/pace_keeper.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr Instant kFirstLook{std::chrono::hours(1)};

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
