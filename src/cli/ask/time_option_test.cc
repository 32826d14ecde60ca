#include "cli/ask/time_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

const Instant kNow = ParseInstant("2026-01-31T12:00:00Z").value();

TEST(TimeOption, AnInstantADayNowAndHowLongAgoAreTimes) {
  EXPECT_EQ(TimeNamed("--from", "2026-01-30T01:02:03Z", kNow),
            ParseInstant("2026-01-30T01:02:03Z"));
  EXPECT_EQ(TimeNamed("--from", "2026-01-30", kNow), ParseInstant("2026-01-30T00:00:00Z"));
  EXPECT_EQ(TimeNamed("--from", "now", kNow), kNow);
  EXPECT_EQ(TimeNamed("--from", "2h", kNow), kNow - std::chrono::hours(2));
}

TEST(TimeOption, AnythingElseIsRefusedWithTheOptionAndWhatIsAllowed) {
  for (const char* text : {"", "yesterday", "-2h", "2026-02-30", "2026-01"}) {
    const auto at = TimeNamed("--from", text, kNow);
    ASSERT_FALSE(at) << text;
    EXPECT_THAT(at.error().message, testing::StartsWith(std::string("--from: ") + text + ": must"));
  }
}

TEST(TimeOption, ATimeOutOfRangeIsToldTheRange) {
  const auto message = [](const std::string& text) {
    const auto at = TimeNamed("--from", text, kNow);
    return at ? "" : at.error().message;
  };
  EXPECT_EQ(message("9999-12-31"), "--from: 9999-12-31: must lie between the years 1678 and 2261");
  EXPECT_EQ(message("1500-01-01T00:00:00Z"),
            "--from: 1500-01-01T00:00:00Z: must lie between the years 1678 and 2261");
  EXPECT_EQ(message("9999999h"),
            "--from: 9999999h: must be at most 2562047h47m16.854775807s, which is 292 years");
}

}  // namespace
}  // namespace jettison
