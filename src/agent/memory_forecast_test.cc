#include "agent/memory_forecast.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMi = 1 << 20;
constexpr Instant kStart{std::chrono::hours(1)};

std::vector<Threshold> Below(std::int64_t mi) {
  return {{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(mi * kMi)}};
}

Observations Available(std::int64_t mi) {
  Observations seen;
  seen[Signal::kMemoryAvailable] = {.available = mi * kMi, .capacity = 512 * kMi};
  return seen;
}

// Without notifications of the kernel.
std::optional<Duration> NextLook(const MemoryForecast& forecast) {
  return forecast.NextLook(Below(100), false, 0);
}

TEST(MemoryForecast, WithoutAnyFiguresThereIsNothingToLookFor) {
  EXPECT_FALSE(NextLook(MemoryForecast()));
}

TEST(MemoryForecast, SteadyMemoryIsLookedAtAsOftenAsSuddenGrowthCouldCrossTheLine) {
  MemoryForecast forecast;
  forecast.Seen(Available(356), kStart);
  EXPECT_EQ(NextLook(forecast), milliseconds(250)) << "256 MiB at 1 GiB/s";
  forecast.Seen(Available(110), kStart + seconds(10));
  for (int i = 11; i < 60; ++i) forecast.Seen(Available(110), kStart + seconds(i));
  EXPECT_EQ(NextLook(forecast), milliseconds(50)) << "no closer together";
  MemoryForecast plenty;
  plenty.Seen(Available(200'000), kStart);
  EXPECT_EQ(NextLook(plenty), seconds(10));
}

TEST(MemoryForecast, GrowthIsFollowedInHalvesDownToFiveMilliseconds) {
  MemoryForecast forecast;
  forecast.Seen(Available(500), kStart);
  forecast.Seen(Available(300), kStart + milliseconds(100));  // 2000 MiB/s
  EXPECT_EQ(NextLook(forecast), milliseconds(50)) << "200 MiB, half of the way at that pace";
  forecast.Seen(Available(200), kStart + milliseconds(150));
  EXPECT_EQ(NextLook(forecast), milliseconds(25));
  forecast.Seen(Available(110), kStart + milliseconds(195));
  EXPECT_EQ(NextLook(forecast), milliseconds(5));
}

TEST(MemoryForecast, ThatGrowthHasEndedIsBelievedByHalves) {
  MemoryForecast forecast;
  forecast.Seen(Available(400), kStart);
  forecast.Seen(Available(300), kStart + seconds(1));
  EXPECT_DOUBLE_EQ(forecast.ShrinkingBy(Signal::kMemoryAvailable), 100.0 * kMi);
  forecast.Seen(Available(300), kStart + seconds(2));
  EXPECT_DOUBLE_EQ(forecast.ShrinkingBy(Signal::kMemoryAvailable), 50.0 * kMi);
  forecast.Seen(Available(400), kStart + seconds(3));
  EXPECT_DOUBLE_EQ(forecast.ShrinkingBy(Signal::kMemoryAvailable), 0);
}

TEST(MemoryForecast, ACrossedThresholdIsNotLookedForButTheNextOneIs) {
  MemoryForecast forecast;
  forecast.Seen(Available(150), kStart);
  const std::vector<Threshold> soft = Below(200);
  EXPECT_FALSE(forecast.NextLook(soft, false, 0));
  std::vector<Threshold> both = soft;
  both.push_back(Below(50).front());
  EXPECT_TRUE(forecast.NextLook(both, false, 0));
}

TEST(MemoryForecast, WhereTheKernelTellsItIsOnlyLookedForJustBeforeTheLine) {
  MemoryForecast forecast;
  forecast.Seen(Available(300), kStart);
  EXPECT_FALSE(forecast.NextLook(Below(100), true, 2 * kMi));
  forecast.Seen(Available(101), kStart + seconds(1));
  EXPECT_EQ(forecast.NextLook(Below(100), true, 2 * kMi), milliseconds(50));
}

TEST(MemoryForecast, TheTimeToAThresholdFollowsFromThePace) {
  MemoryForecast forecast;
  forecast.Seen(Available(400), kStart);
  EXPECT_FALSE(forecast.TimeTo(Below(100).front())) << "no pace is known";
  forecast.Seen(Available(300), kStart + seconds(1));
  EXPECT_EQ(forecast.TimeTo(Below(100).front()), seconds(2));
  EXPECT_FALSE(forecast.TimeTo(Below(350).front())) << "crossed";
}

TEST(MemoryForecast, LooksWithinAMillisecondSayNothingOfAPace) {
  MemoryForecast forecast;
  forecast.Seen(Available(300), kStart);
  forecast.Seen(Available(299), kStart + std::chrono::microseconds(10));
  EXPECT_EQ(forecast.ShrinkingBy(Signal::kMemoryAvailable), 0);
}

}  // namespace
}  // namespace jettison
