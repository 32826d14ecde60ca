#include "agent/looks/level_wakeups.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const Instant kNow{std::chrono::hours(1)};

TEST(LevelWakeups, APassFollowsAtOnceButNoSoonerThanAMillisecondAfterTheLast) {
  LevelWakeups wakeups;
  EXPECT_EQ(wakeups.Told(kNow), std::nullopt);
  wakeups.Passed(kNow);
  EXPECT_EQ(wakeups.Told(kNow + microseconds(999)), kNow + milliseconds(1));
  EXPECT_EQ(wakeups.Told(kNow + milliseconds(1)), std::nullopt);
}

TEST(LevelWakeups, NearALineThereIsMoreThanTheKernelTellsForAShortTimeAndThenARest) {
  LevelWakeups wakeups;
  EXPECT_EQ(wakeups.NextNear(kNow), std::nullopt) << "there was no wake-up";
  (void)wakeups.Told(kNow);
  EXPECT_EQ(wakeups.NextNear(kNow), kNow + microseconds(250));
  EXPECT_EQ(wakeups.NextNear(kNow + milliseconds(30)), std::nullopt);
  (void)wakeups.Told(kNow + milliseconds(329));
  EXPECT_EQ(wakeups.NextNear(kNow + milliseconds(329)), std::nullopt) << "then it pauses";
  (void)wakeups.Told(kNow + milliseconds(330));
  EXPECT_NE(wakeups.NextNear(kNow + milliseconds(330)), std::nullopt);
}

}  // namespace
}  // namespace jettison
