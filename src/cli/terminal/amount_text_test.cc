#include "cli/terminal/amount_text.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BytesText, TakesTheUnitThatLeavesFewDigits) {
  EXPECT_EQ(BytesText(24 << 10), "24 KiB");
  EXPECT_EQ(BytesText(6'815'744), "6.5 MiB");
  EXPECT_EQ(BytesText(std::int64_t{263} << 20), "263 MiB");
  EXPECT_EQ(BytesText(std::int64_t{9999} << 20), "9999 MiB");
  EXPECT_EQ(BytesText(std::int64_t{64} << 30), "64.0 GiB");
  EXPECT_EQ(BytesText(std::int64_t{2} << 40), "2.0 TiB");
  EXPECT_EQ(BytesText(std::nullopt), "-");
}

TEST(TrendText, SaysWhichWayAndHowFast) {
  EXPECT_EQ(TrendText(Signal::kMemoryAvailable, -(40 << 20)), "-40 MiB/s");
  EXPECT_EQ(TrendText(Signal::kPidAvailable, 3), "+3/s");
  EXPECT_EQ(TrendText(Signal::kIoPressureSomeAvg10, -150), "-1.5%/s");
  EXPECT_EQ(TrendText(Signal::kMemoryAvailable, 100), "steady");
  EXPECT_EQ(TrendText(Signal::kMemoryAvailable, std::nullopt), "-");
}

TEST(SpanText, TakesTheUnitThatPeopleWould) {
  EXPECT_EQ(SpanText(milliseconds(400)), "0.4 s");
  EXPECT_EQ(SpanText(seconds(27)), "27 s");
  EXPECT_EQ(SpanText(seconds(180)), "3 min");
  EXPECT_EQ(SpanText(std::chrono::hours(26)), "26 h");
  EXPECT_EQ(SpanText(std::chrono::hours(24 * 12)), "12 d");
  EXPECT_EQ(SpanText(seconds(-1)), "0.0 s");
}

}  // namespace
}  // namespace jettison
