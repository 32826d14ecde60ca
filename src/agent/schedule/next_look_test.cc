#include "agent/schedule/next_look.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr Instant kBegin{std::chrono::hours(1)};

Threshold Of(Signal signal, std::int64_t value) {
  return {.signal = signal, .value = Quantity::Of(value), .min_reclaim = {}};
}

// The next look where so much is left, and a threshold lies at `value`.
Duration NextWith(Signal signal, std::int64_t available, std::int64_t value = kGi) {
  Observations seen;
  seen[signal] = {.available = available, .capacity = 100 * kGi, .time = std::nullopt};
  return NextLook(std::vector{Of(signal, value)}, seen);
}

TEST(NextLook, ComesWhenSixteenGibibytesASecondWouldBeAtTheThreshold) {
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kSwapAvailable}) {
    EXPECT_EQ(NextWith(signal, 3 * kGi), milliseconds(125)) << NameOf(signal);
    EXPECT_EQ(NextWith(signal, kGi + 1), kNearestLook);
    EXPECT_EQ(NextWith(signal, 50 * kGi), kFarthestLook);
  }
}

TEST(NextLook, ComesHalfASecondLaterForADiskAndWhereEveryThresholdIsCrossedOnPressureOrUnknown) {
  EXPECT_EQ(NextWith(Signal::kNodeFsAvailable, kGi + 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kMemoryAvailable, kGi - 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kIoPressureSomeAvg10, 2 * kGi), kFarthestLook);
  EXPECT_EQ(NextLook(std::vector{Of(Signal::kSwapAvailable, kGi)}, {}), kFarthestLook);
}

TEST(NextLook, ComesBeforeAForkBombCouldBeAtTheThreshold) {
  EXPECT_EQ(NextWith(Signal::kPidAvailable, 13'276, 3'276), milliseconds(100));
  EXPECT_EQ(NextWith(Signal::kPidAvailable, 3'286, 3'276), kNearestLook);
}

TEST(NextPaceLook, ComesAfterFiveMillisecondsAtFirstAndTwentyLater) {
  EXPECT_EQ(NextPaceLook(kBegin, kBegin), milliseconds(5));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + milliseconds(200)), milliseconds(10));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + seconds(30)), milliseconds(20));
}

}  // namespace
}  // namespace jettison
