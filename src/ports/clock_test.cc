#include "ports/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <type_traits>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kNow{hours(1000)};
constexpr WallTime kWallNow{hours(1000)};

template <typename A, typename B>
concept Subtracts = requires(A a, B b) {
  a - b;
};
template <typename A, typename B>
concept Compares = requires(A a, B b) {
  a < b;
};

TEST(WallTime, DoesNotMixWithInstants) {
  static_assert(!Subtracts<Instant, WallTime> && !Subtracts<WallTime, Instant>);
  static_assert(!Compares<Instant, WallTime> && !Compares<WallTime, Instant>);
  static_assert(!std::is_convertible_v<WallTime, Instant>);
  static_assert(!std::is_convertible_v<Instant, WallTime>);
}

TEST(InstantOf, IsAsLongAgoAsRealTimeTells) {
  FakeClock clock(kNow);
  EXPECT_EQ(InstantOf(kWallNow - minutes(5), clock), kNow - minutes(5));
  for (const auto step : {hours(1), hours(-1)}) {
    FakeClock stepped(kNow);
    stepped.StepWall(step);
    EXPECT_EQ(InstantOf(kWallNow + step - minutes(5), stepped), kNow - minutes(5)) << step.count();
  }
}

TEST(InstantOf, IsNeverInTheFutureAndNotBeforeTheEarliest) {
  FakeClock clock(kNow);
  EXPECT_EQ(InstantOf(kWallNow + hours(1), clock), kNow);
  EXPECT_EQ(InstantOf(kWallNow - hours(1), clock, kNow - minutes(1)), kNow - minutes(1));
  EXPECT_EQ(InstantOf(kWallNow, clock, kNow + hours(1)), kNow);
}

TEST(InstantOf, SurvivesTimesThatCannotBe) {
  FakeClock clock(kNow);
  EXPECT_EQ(InstantOf(WallTime::max(), clock), kNow);
  EXPECT_LT(InstantOf(WallTime::min(), clock), kNow - hours(24 * 365 * 200));
  clock.StepWall(-hours(24 * 365 * 100));
  EXPECT_EQ(InstantOf(WallTime::max(), clock), kNow);
}

TEST(ElapsedBetween, IsExactWithinABootHoweverTheWallClockWasSet) {
  FakeClock clock(kNow);
  const TimeMark then = clock.Mark();
  clock.Advance(seconds(90));
  for (const auto step : {hours(1), hours(-1), hours(24 * 3650)}) {
    clock.StepWall(step);
    EXPECT_EQ(ElapsedBetween(then, clock.Mark()), seconds(90));
  }
}

TEST(ElapsedBetween, GoesByRealTimeAcrossBootsWithinReason) {
  FakeClock clock(kNow);
  const TimeMark then = clock.Mark();
  clock.SetBoot("another");
  clock.Advance(seconds(90));
  EXPECT_EQ(ElapsedBetween(then, clock.Mark()), seconds(90));
  clock.StepWall(-hours(1));
  EXPECT_EQ(ElapsedBetween(then, clock.Mark()), Duration(0)) << "a clock without battery";
  clock.StepWall(hours(24 * 3650));
  EXPECT_EQ(ElapsedBetween(then, clock.Mark()), kMostTimeOff);
  EXPECT_EQ(ElapsedBetween({.wall = WallTime::max()}, {.wall = WallTime::min()}), Duration(0));
  EXPECT_EQ(ElapsedBetween({.wall = WallTime::min()}, {.wall = WallTime::max()}), kMostTimeOff);
}

}  // namespace
}  // namespace jettison
