#include "agent/looks/memory_forecast.h"

#include <gtest/gtest.h>

#include "agent/figures/pressure_forecast.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMi = 1 << 20;
constexpr Instant kStart{std::chrono::hours(1)};
constexpr ThresholdSet kNone;
constexpr ThresholdSet kFirst{1};

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
  return forecast.NextLook(Below(100), kNone, 0);
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

TEST(MemoryForecast, GrowthIsFollowedInHalvesAndThenMetJustPastTheLine) {
  MemoryForecast forecast;
  forecast.Seen(Available(500), kStart);
  forecast.Seen(Available(300), kStart + milliseconds(100));  // 2000 MiB/s
  EXPECT_EQ(NextLook(forecast), milliseconds(50)) << "half of the time for 200 MiB at that pace";
  forecast.Seen(Available(200), kStart + milliseconds(150));
  EXPECT_EQ(NextLook(forecast), milliseconds(25));
  forecast.Seen(Available(116), kStart + milliseconds(192));
  EXPECT_EQ(NextLook(forecast), microseconds(8700)) << "16 MiB are 8 ms, and a little";
  forecast.Seen(Available(101), kStart + milliseconds(200));
  EXPECT_EQ(NextLook(forecast), milliseconds(2)) << "no sooner";
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
  EXPECT_FALSE(forecast.NextLook(soft, kNone, 0));
  std::vector<Threshold> both = soft;
  both.push_back(Below(50).front());
  EXPECT_TRUE(forecast.NextLook(both, kNone, 0));
}

TEST(MemoryForecast, WhereTheKernelTellsItIsOnlyLookedForJustBeforeTheLine) {
  MemoryForecast forecast;
  forecast.Seen(Available(300), kStart);
  EXPECT_FALSE(forecast.NextLook(Below(100), kFirst, 2 * kMi));
  forecast.Seen(Available(101), kStart + seconds(1));
  EXPECT_EQ(forecast.NextLook(Below(100), kFirst, 2 * kMi), milliseconds(50));
}

TEST(MemoryForecast, TheTimeToAThresholdFollowsFromThePace) {
  MemoryForecast forecast;
  forecast.Seen(Available(400), kStart);
  EXPECT_FALSE(forecast.TimeTo(Below(100).front())) << "the pace is not known";
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

TEST(MemoryForecast, SwapIsLookedForByTheClock) {
  const std::vector<Threshold> below = {
      {.signal = Signal::kSwapAvailable, .value = Quantity::Of(100 * kMi), .min_reclaim = {}}};
  const auto left = [](std::int64_t mi) {
    Observations seen;
    seen[Signal::kSwapAvailable] = {.available = mi * kMi, .capacity = 2048 * kMi};
    return seen;
  };
  MemoryForecast forecast;
  forecast.Seen(left(1124), kStart);
  EXPECT_EQ(forecast.NextLook(below, kNone, 0), seconds(1)) << "1 GiB at 1 GiB/s";
  forecast.Seen(left(101), kStart + seconds(1000));
  EXPECT_EQ(std::chrono::round<milliseconds>(*forecast.NextLook(below, kNone, 0)),
            milliseconds(489))
      << "half of the way: 1 MiB at 1.023 MiB/s";
  for (int i = 0; i < 60; ++i) forecast.Seen(left(101), kStart + seconds(1001 + i));
  EXPECT_EQ(forecast.NextLook(below, kNone, 0), milliseconds(500)) << "no closer together";
}

Observations Lost(std::int32_t share) {
  Observations seen;
  seen[Signal::kMemoryPressureSomeAvg10] = {.available = kWholeTime - share,
                                            .capacity = kWholeTime};
  return seen;
}

std::vector<Threshold> AboveShare(std::int32_t share) {
  return {{.signal = Signal::kMemoryPressureSomeAvg10, .value = LeftOf(share), .min_reclaim = {}}};
}

TEST(PressureForecast, AnAverageNeedsItsTimeToGetAnywhere) {
  const auto soonest = [](std::int32_t from, std::int32_t to) {
    const auto time = SoonestCrossing(AboveShare(to).front(), Lost(from));
    return time ? std::chrono::round<milliseconds>(*time).count() : -1;
  };
  EXPECT_EQ(soonest(0, 4000), 5108) << "10 s x ln(1 / 0.6)";
  EXPECT_EQ(soonest(2000, 4000), 2877);
  EXPECT_EQ(soonest(4000, 4000), 0);
  EXPECT_EQ(soonest(4001, 4000), -1) << "it is met";
  EXPECT_EQ(soonest(9900, 10'000), 10'000) << "never";
  EXPECT_FALSE(SoonestCrossing(AboveShare(4000).front(), Observations{}));
  EXPECT_FALSE(SoonestCrossing(Below(100).front(), Available(400)));
}

TEST(PressureForecast, TheNextLookIsAtTheSoonestOfAll) {
  std::vector<Threshold> thresholds = AboveShare(4000);
  thresholds.push_back(AboveShare(2500).front());
  EXPECT_EQ(
      std::chrono::round<milliseconds>(*NextPressureLook(thresholds, Lost(0), milliseconds(500))),
      milliseconds(2877));
  EXPECT_EQ(NextPressureLook(thresholds, Lost(2490), milliseconds(500)), milliseconds(500));
  EXPECT_EQ(NextPressureLook(AboveShare(9000), Lost(0), seconds(2)), seconds(10));
  EXPECT_FALSE(NextPressureLook(thresholds, Lost(5000), seconds(2)));
}

}  // namespace
}  // namespace jettison
