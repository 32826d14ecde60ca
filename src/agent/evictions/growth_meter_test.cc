#include "agent/evictions/growth_meter.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr Instant kBegin{std::chrono::hours(1)};

// Looks every 5 ms at something that grows by so many KiB each time.
void Look(GrowthMeter& meter, int times, std::int64_t kib, Instant& now, std::int64_t& amount) {
  for (int i = 0; i < times; ++i) {
    now += milliseconds(5);
    amount += kib * 1024;
    meter.Seen(amount, now);
  }
}

class GrowthMeterTest : public testing::Test {
 protected:
  void Grow(int times, std::int64_t kib) { Look(meter_, times, kib, now_, amount_); }
  GrowthMeter meter_{kMi};
  Instant now_ = kBegin;
  std::int64_t amount_ = 0;
};

TEST_F(GrowthMeterTest, NothingIsKnownBeforeLooksAreFarEnoughApart) {
  Grow(5, 2048);
  EXPECT_EQ(meter_.PerSecond(milliseconds(25)), std::nullopt);
  EXPECT_TRUE(meter_.PerSecond(milliseconds(20)));
  EXPECT_EQ(GrowthMeter(kMi).PerSecond(milliseconds(1)), std::nullopt);
}

TEST_F(GrowthMeterTest, SteadyGrowthIsMeasuredLessTheJitter) {
  Grow(21, 2048);  // 400 MiB/s
  const auto pace = meter_.PerSecond(milliseconds(25));
  ASSERT_TRUE(pace);
  EXPECT_GE(*pace, 385 * kMi);
  EXPECT_LE(*pace, 400 * kMi);
}

TEST_F(GrowthMeterTest, StepsWithinTheJitterAreNoGrowth) {
  Grow(10, 0);
  Grow(1, 256);
  Grow(5, 0);
  Grow(1, 256);
  EXPECT_EQ(meter_.PerSecond(milliseconds(5)), 0);
}

TEST_F(GrowthMeterTest, GrowthThatHasEndedIsForgottenWithinATenthOfASecond) {
  Grow(21, 2048);
  Grow(20, 0);
  EXPECT_EQ(meter_.PerSecond(milliseconds(5)), 0);
}

TEST_F(GrowthMeterTest, ShrinkingIsNoGrowth) {
  Grow(5, 4096);
  meter_.Restart();
  Grow(5, -4096);
  EXPECT_EQ(meter_.PerSecond(milliseconds(5)), 0);
}

TEST_F(GrowthMeterTest, TheLastLookCountsForAnotherThingToo) {
  Grow(21, 2048);
  meter_.RestartWithLess(amount_);
  EXPECT_EQ(meter_.PerSecond(milliseconds(5)), std::nullopt);
  amount_ = 0;
  Grow(2, 2048);
  EXPECT_EQ(meter_.PerSecond(milliseconds(10)), 300 * kMi);  // 4 MiB in 10 ms, less the jitter
  GrowthMeter unused(kMi);
  unused.RestartWithLess(kMi);
  EXPECT_EQ(unused.PerSecond(milliseconds(0)), std::nullopt);
}

TEST_F(GrowthMeterTest, LooksAtOnceAfterEachOtherDoNotPushOutOlderOnes) {
  Grow(10, 2048);
  for (int i = 0; i < 100; ++i) meter_.Seen(amount_, now_ += std::chrono::microseconds(10));
  EXPECT_GT(*meter_.PerSecond(milliseconds(25)), 300 * kMi);
}

TEST_F(GrowthMeterTest, LooksFarApartCountAsWell) {
  meter_.Seen(0, now_);
  meter_.Seen(1025 * kMi, now_ + std::chrono::seconds(10));
  EXPECT_EQ(meter_.PerSecond(milliseconds(25)), 1024 * kMi / 10);
}

}  // namespace
}  // namespace jettison
