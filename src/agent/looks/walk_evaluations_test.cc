#include "agent/looks/walk_evaluations.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;

const Instant kWalkedAt{std::chrono::hours(1)};

TEST(WalkEvaluations, ComeEachInterval) {
  WalkEvaluations evaluations(seconds(10));
  evaluations.Done(kWalkedAt);
  EXPECT_FALSE(evaluations.Begin(kWalkedAt + seconds(9)));
  EXPECT_EQ(evaluations.Take(kWalkedAt + seconds(9)), kWalkedAt + seconds(10))
      << "not by the clock";
  EXPECT_TRUE(evaluations.Begin(kWalkedAt + seconds(10)));
  EXPECT_EQ(evaluations.Take(kWalkedAt + seconds(10)), std::nullopt)
      << "this is the pass by the clock";
  EXPECT_EQ(evaluations.NextDeadline(), kWalkedAt + seconds(20));
}

TEST(WalkEvaluations, ComeWhenAGracePeriodEnds) {
  WalkEvaluations evaluations(seconds(10));
  evaluations.Done(kWalkedAt);
  evaluations.SetGraceEnd(kWalkedAt + seconds(3));
  EXPECT_EQ(evaluations.NextDeadline(), kWalkedAt + seconds(3));
  EXPECT_FALSE(evaluations.Begin(kWalkedAt + seconds(2)));
  EXPECT_TRUE(evaluations.Begin(kWalkedAt + seconds(3)));
  EXPECT_EQ(evaluations.Take(kWalkedAt + seconds(3)), std::nullopt);
  EXPECT_FALSE(evaluations.Begin(kWalkedAt + seconds(4))) << "it ends once";
}

}  // namespace
}  // namespace jettison
