#include "agent/workers/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// The delays after runs of one second each.
std::vector<Duration> DelaysOf(Backoff backoff, int runs) {
  std::vector<Duration> delays;
  Instant now{};
  for (int i = 0; i < runs; ++i) {
    const Instant due = backoff.NextStart(now, now + seconds(1));
    delays.push_back(due - (now + seconds(1)));
    now = due;
  }
  return delays;
}

TEST(Backoff, RestartsAtOnceThenAfterTenSecondsDoublingToFiveMinutes) {
  EXPECT_EQ(DelaysOf(Backoff(kRestartRule), 8),
            (std::vector<Duration>{seconds(0), seconds(10), seconds(20), seconds(40), seconds(80),
                                   seconds(160), seconds(300), seconds(300)}));
}

TEST(Backoff, EvictedPodsWaitTenSecondsAtFirstDoublingToFiveMinutes) {
  EXPECT_EQ(DelaysOf(Backoff(kComeBackRule), 7),
            (std::vector<Duration>{seconds(10), seconds(20), seconds(40), seconds(80), seconds(160),
                                   seconds(300), seconds(300)}));
}

TEST(Backoff, BeginsAnewAfterARunOfTenMinutes) {
  Backoff backoff(kRestartRule);
  Instant now{};
  for (int i = 0; i < 4; ++i) now = backoff.NextStart(now, now);
  const Instant almost = now + minutes(10) - std::chrono::nanoseconds(1);
  EXPECT_EQ(backoff.NextStart(now, almost), almost + seconds(80));
  EXPECT_EQ(backoff.NextStart(almost, almost + minutes(10)), almost + minutes(10));
}

}  // namespace
}  // namespace jettison
