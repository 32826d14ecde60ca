#include "agent/looks/reading_ahead.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

// A node of 1000 MiB with a hard line of 100 MiB.
class ReadingAheadTest : public testing::Test {
 protected:
  void Look(Duration after, std::int64_t available) {
    now_ += after;
    Observations seen;
    seen[Signal::kMemoryAvailable] =
        Observation{.available = available * kMebibyte, .capacity = 1000 * kMebibyte};
    looks_.Plan(thresholds_, seen, ThresholdSet(), now_);
  }
  bool IsDue(Duration after = {}) {
    return ahead_.IsDue(looks_, std::nullopt, thresholds_, now_ += after);
  }

  std::vector<Threshold> thresholds_{{.signal = Signal::kMemoryAvailable,
                                      .value = Quantity::Of(100 * kMebibyte),
                                      .grace_period = seconds(0),
                                      .min_reclaim = std::nullopt}};
  MemoryLooks looks_{true};
  ReadingAhead ahead_;
  Instant now_{std::chrono::hours(1)};
};

TEST_F(ReadingAheadTest, NobodyIsReadWhereNothingGrows) {
  Look(seconds(0), 130);
  Look(seconds(1), 130);
  EXPECT_FALSE(IsDue());
  EXPECT_FALSE(ahead_.due());
}

TEST_F(ReadingAheadTest, NobodyIsReadWhereTheThresholdIsFar) {
  Look(seconds(0), 900);
  Look(seconds(1), 700);  // 200 MiB/s: three seconds are left
  EXPECT_FALSE(IsDue());
}

TEST_F(ReadingAheadTest, WhereTheThresholdIsNearTheRestIsHalfOfTheTime) {
  Look(seconds(0), 140);
  Look(milliseconds(100), 120);  // 200 MiB/s: 100 ms are left
  ASSERT_TRUE(IsDue());
  ahead_.Done(false, now_);
  EXPECT_EQ(ahead_.due(), now_ + milliseconds(1)) << "others are to be read";
  ASSERT_TRUE(IsDue(milliseconds(1)));
  ahead_.Done(true, now_);
  EXPECT_EQ(ahead_.due(), now_ + milliseconds(50));
  EXPECT_FALSE(IsDue(milliseconds(20)));
}

TEST_F(ReadingAheadTest, JustBeforeALookTheRestIsShort) {
  Look(seconds(0), 140);
  Look(milliseconds(100), 120);
  ASSERT_TRUE(IsDue(*looks_.due() - now_ - milliseconds(5)));
  ahead_.Done(true, now_);
  EXPECT_EQ(ahead_.due(), now_ + milliseconds(10));
}

TEST_F(ReadingAheadTest, OnceTheKernelHasToldThatAThresholdIsNearAThousandAreReadBeforeIt) {
  const Instant watch = now_ + std::chrono::microseconds(250);
  ASSERT_TRUE(ahead_.IsDue(looks_, watch, thresholds_, now_));
  ahead_.Done(false, now_);
  EXPECT_EQ(ahead_.due(), now_ + std::chrono::microseconds(250));
  ahead_.Done(true, now_);
  EXPECT_EQ(ahead_.due(), now_ + milliseconds(10));
}

TEST_F(ReadingAheadTest, ItIsOverWhenTheGrowthIs) {
  Look(seconds(0), 140);
  Look(milliseconds(100), 120);
  ASSERT_TRUE(IsDue());
  ahead_.Done(true, now_);
  for (int i = 0; i < 5; ++i) Look(milliseconds(100), 120);
  EXPECT_FALSE(IsDue());
  EXPECT_FALSE(ahead_.due());
}

}  // namespace
}  // namespace jettison
