#include "agent/looks/walk_evaluations.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;

const Instant kNow{std::chrono::hours(1)};

TEST(WalkEvaluations, ComeEachInterval) {
  WalkEvaluations evaluations(seconds(10));
  evaluations.Done(kNow);
  EXPECT_FALSE(evaluations.Begin(kNow + seconds(9)));
  EXPECT_EQ(evaluations.Take(kNow + seconds(9)), kNow + seconds(10)) << "not by the clock";
  EXPECT_TRUE(evaluations.Begin(kNow + seconds(10)));
  EXPECT_EQ(evaluations.Take(kNow + seconds(10)), std::nullopt) << "this is the one by the clock";
  EXPECT_EQ(evaluations.NextDeadline(), kNow + seconds(20));
}

TEST(WalkEvaluations, ComeWhenAGracePeriodEnds) {
  WalkEvaluations evaluations(seconds(10));
  evaluations.Done(kNow);
  evaluations.SetGraceEnd(kNow + seconds(3));
  EXPECT_EQ(evaluations.NextDeadline(), kNow + seconds(3));
  EXPECT_FALSE(evaluations.Begin(kNow + seconds(2)));
  EXPECT_TRUE(evaluations.Begin(kNow + seconds(3)));
  EXPECT_EQ(evaluations.Take(kNow + seconds(3)), std::nullopt);
  EXPECT_FALSE(evaluations.Begin(kNow + seconds(4))) << "it ends once";
}

}  // namespace
}  // namespace jettison
