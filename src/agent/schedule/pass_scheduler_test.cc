#include "agent/schedule/pass_scheduler.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant At(int second) {
  return Instant(seconds(second));
}

TEST(PassScheduler, BeginsAtOnceAndThenOneIntervalAfterEachEnd) {
  PassScheduler scheduler(seconds(10), At(5));
  EXPECT_FALSE(scheduler.Begin(At(4)));
  EXPECT_EQ(scheduler.NextDeadline(), At(5));
  EXPECT_TRUE(scheduler.Begin(At(5)));
  EXPECT_FALSE(scheduler.Begin(At(100))) << "a pass is being measured";
  EXPECT_EQ(scheduler.NextDeadline(), std::nullopt);
  scheduler.Done(At(8));
  EXPECT_EQ(scheduler.NextDeadline(), At(18));
  EXPECT_FALSE(scheduler.Begin(At(17)));
  EXPECT_TRUE(scheduler.Begin(At(18)));
}

TEST(PassScheduler, ARequestCanOnlyBringThePassForward) {
  PassScheduler scheduler(seconds(10), At(0));
  ASSERT_TRUE(scheduler.Begin(At(0)));
  scheduler.Done(At(0));
  scheduler.Request(At(20));
  EXPECT_EQ(scheduler.NextDeadline(), At(10));
  scheduler.Request(At(3));
  EXPECT_EQ(scheduler.NextDeadline(), At(3));
}

TEST(PassScheduler, ARequestWhileOnePassIsMeasuredAsksForAnother) {
  PassScheduler scheduler(seconds(10), At(0));
  ASSERT_TRUE(scheduler.Begin(At(0)));
  scheduler.Request(At(1));
  scheduler.Done(At(2));
  EXPECT_TRUE(scheduler.Begin(At(2)));
}

}  // namespace
}  // namespace jettison
