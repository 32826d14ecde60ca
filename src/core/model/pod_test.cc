#include "core/model/pod.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "core/units/duration.h"

namespace jettison {
namespace {

TEST(Pod, AGracePeriodBeyondAllMeasureIsALongOne) {
  Pod pod;
  EXPECT_EQ(GraceSecondsOf(pod), 30);
  pod.termination_grace_period_seconds = std::numeric_limits<std::int64_t>::max();
  const Duration grace = std::chrono::seconds(GraceSecondsOf(pod));
  EXPECT_GT(grace, std::chrono::hours(24 * 365 * 99));
  EXPECT_GT(Instant(std::chrono::hours(24 * 365 * 60)) + grace + grace / 2, Instant{});
}

}  // namespace
}  // namespace jettison
