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

NodeLook At(Signal signal, std::int64_t available, Instant at) {
  NodeLook look{.seen = {}, .at = at};
  look.seen[signal] = {.available = available, .capacity = 100 * kGi, .time = std::nullopt};
  return look;
}

// The next look where so much has been left for a second, and a threshold lies at a GiB.
Duration NextWith(Signal signal, std::int64_t available) {
  return NextLook(std::vector{Of(signal, kGi)}, At(signal, available, kBegin),
                  At(signal, available, kBegin + seconds(1)));
}

TEST(NextLook, ComesWhenSixteenGibibytesASecondWouldBeAtTheThreshold) {
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kSwapAvailable}) {
    EXPECT_EQ(NextWith(signal, 3 * kGi), milliseconds(125)) << NameOf(signal);
    EXPECT_EQ(NextWith(signal, kGi + 1), kNearestLook);
    EXPECT_EQ(NextWith(signal, 50 * kGi), kFarthestLook);
  }
}

TEST(NextLook, ComesSoonerWhereGrowthIsFasterThanThat) {
  const auto next = NextLook(std::vector{Of(Signal::kMemoryAvailable, kGi)},
                             At(Signal::kMemoryAvailable, 12 * kGi, kBegin),
                             At(Signal::kMemoryAvailable, 2 * kGi, kBegin + milliseconds(500)));
  EXPECT_EQ(next, milliseconds(50));
}

TEST(NextLook, ComesHalfASecondLaterForADiskAndWhereEveryThresholdIsCrossedOnPressureOrUnknown) {
  EXPECT_EQ(NextWith(Signal::kNodeFsAvailable, kGi + 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kMemoryAvailable, kGi - 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kIoPressureSomeAvg10, 2 * kGi), kFarthestLook);
  EXPECT_EQ(NextLook(std::vector{Of(Signal::kSwapAvailable, kGi)}, {}, {}), kFarthestLook);
}

TEST(NextLook, ComesBeforeAForkBombCouldBeAtTheThreshold) {
  constexpr std::int64_t kPidMax = 32'768;
  const auto next = [](std::int64_t left) {
    const NodeLook look = At(Signal::kPidAvailable, left, kBegin);
    return NextLook(std::vector{Of(Signal::kPidAvailable, kPidMax / 10)}, look, look);
  };
  EXPECT_EQ(next(kPidMax / 10 + 10'000), milliseconds(100));
  EXPECT_EQ(next(kPidMax / 10 + 10), kNearestLook);
}

TEST(NextPaceLook, ComesAfterFiveMillisecondsAtFirstAndTwentyLater) {
  EXPECT_EQ(NextPaceLook(kBegin, kBegin), milliseconds(5));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + milliseconds(200)), milliseconds(10));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + seconds(30)), milliseconds(20));
}

}  // namespace
}  // namespace jettison
