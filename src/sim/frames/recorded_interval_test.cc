#include "sim/frames/recorded_interval.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant At(int tenths) {
  return Instant(std::chrono::hours(24)) + milliseconds(tenths * 100);
}

TEST(RecordedInterval, IsTheOneThatMostPassesHaveWhateverWasMadeInBetween) {
  RecordedInterval interval;
  EXPECT_EQ(interval.Usual(), kUsualInterval);
  for (const int tenths : {0, 20, 40, 47, 60, 80, 101, 120}) interval.Add(At(tenths), true);
  EXPECT_EQ(interval.Usual(), seconds(2));
}

TEST(RecordedInterval, DoesNotCountWhatIsMissing) {
  RecordedInterval interval;
  interval.Add(At(0), true);
  for (const int tenths : {900, 1800, 2700}) interval.Add(At(tenths), false);
  EXPECT_EQ(interval.Usual(), kUsualInterval);
  EXPECT_EQ(RecordedInterval(seconds(3)).Usual(), seconds(3));
}

}  // namespace
}  // namespace jettison
