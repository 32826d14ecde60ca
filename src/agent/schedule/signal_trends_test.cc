#include "agent/schedule/signal_trends.h"

#include <gtest/gtest.h>

#include <random>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMi = 1 << 20;
constexpr Signal kMemory = Signal::kMemoryAvailable;

class SignalTrendsTest : public testing::Test {
 protected:
  void Read(std::int64_t available, Duration later, Signal signal = kMemory) {
    now_ += later;
    Observations seen;
    seen[signal] = {.available = available, .capacity = 10'000 * kMi, .time = now_};
    trends_.Take(seen, now_);
  }
  std::optional<double> MiPerSecond() {
    const auto trend = trends_.Of(kMemory, now_);
    return trend ? std::optional(*trend / kMi) : std::nullopt;
  }

  SignalTrends trends_;
  Instant now_{std::chrono::hours(1)};
};

TEST_F(SignalTrendsTest, AnIdleNodeThatJittersHasHardlyEverOne) {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::uniform_int_distribution<std::int64_t> jitter(0, 2 * kMi);
  int shown = 0;
  for (int i = 0; i < 1000; ++i) {
    Read(9'000 * kMi + jitter(random), milliseconds(500));
    shown += MiPerSecond() ? 1 : 0;
  }
  EXPECT_LT(shown, 20);
}

TEST_F(SignalTrendsTest, JitterDoesNotHideALeak) {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::uniform_int_distribution<std::int64_t> jitter(0, kMi);
  for (int i = 0; i < 100; ++i) {
    Read((9'000 - 5 * i) * kMi + jitter(random), milliseconds(500));
    if (i < 7) continue;
    ASSERT_TRUE(MiPerSecond());
    EXPECT_NEAR(*MiPerSecond(), -10, 2);
  }
}

TEST_F(SignalTrendsTest, WhatIsReadInPassesAloneHasOneAfterFourOfThem) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(trends_.Of(Signal::kNodeFsAvailable, now_));
    Read((5'000 - 20 * i) * kMi, seconds(10), Signal::kNodeFsAvailable);
    Observations again;  // a look, which reads no disk
    again[Signal::kNodeFsAvailable] = {
        .available = (5'000 - 20 * i) * kMi, .capacity = 10'000 * kMi, .time = now_};
    trends_.Take(again, now_ + seconds(5));
  }
  EXPECT_NEAR(*trends_.Of(Signal::kNodeFsAvailable, now_), -2.0 * kMi, 1);
}

TEST(TimeTo, TheTrendIsCarriedOnForAnHour) {
  const Threshold threshold{
      .signal = kMemory, .value = Quantity::Of(100 * kMi), .min_reclaim = std::nullopt};
  const Observation seen{.available = 160 * kMi, .capacity = 500 * kMi, .time = std::nullopt};
  EXPECT_EQ(TimeTo(threshold, seen, -10.0 * kMi), seconds(6));
  EXPECT_EQ(TimeTo(threshold, seen, -60.0 * kMi / 3601), std::nullopt);
  EXPECT_EQ(TimeTo(threshold, seen, 0), std::nullopt);
  EXPECT_EQ(TimeTo(threshold, seen, 10.0 * kMi), std::nullopt);
  EXPECT_EQ(TimeTo(threshold, {.available = 99 * kMi, .capacity = 500 * kMi}, -1.0 * kMi),
            std::nullopt);
}

}  // namespace
}  // namespace jettison
