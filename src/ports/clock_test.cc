#include "ports/clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kNow{hours(1000)};
constexpr WallTime kWallNow{hours(1000)};

TEST(InstantOf, IsAsLongAgoAsRealTimeTells) {
  FakeClock clock(kNow);
  EXPECT_EQ(InstantOf(kWallNow - minutes(5), clock), kNow - minutes(5));
  for (const auto step : {hours(1), hours(-1)}) {
    FakeClock stepped(kNow);
    stepped.StepWall(step);
    EXPECT_EQ(InstantOf(kWallNow + step - minutes(5), stepped), kNow - minutes(5)) << step.count();
  }
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
