#include "machine/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/log/event_log.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(Log, TextLinesAreLogfmtAndQuoteOnlyWhatNeedsIt) {
  const LogField fields[] = {{"pod", "default/web"}, {"why", "a \"b\"\n"}, {"none", ""}};
  EXPECT_EQ(FormatLine(LogFormat::kText, WallTime(milliseconds(1500)), LogLevel::kInfo,
                       "pod evicted", fields),
            R"(time=1970-01-01T00:00:01.5Z level=info msg="pod evicted" pod=default/web )"
            R"(why="a \"b\"\n" none="")");
}

TEST(Log, JsonLinesAreOneObjectOfStrings) {
  const LogField fields[] = {{"k", "v\\"}};
  EXPECT_EQ(
      FormatLine(LogFormat::kJson, WallTime(nanoseconds(1)), LogLevel::kError, "a\x01", fields),
      R"({"time":"1970-01-01T00:00:00Z","level":"error","msg":"a\u0001","k":"v\\"})");
}

TEST(Log, JsonLinesAreTextWhateverTheyAreAbout) {
  const LogField fields[] = {{"file", "/m/bad\xff.yaml"}, {"name", "\xc3\xa4"}};
  EXPECT_THAT(FormatLine(LogFormat::kJson, WallTime(nanoseconds(1)), LogLevel::kError, "", fields),
              testing::HasSubstr("\"file\":\"/m/bad\xEF\xBF\xBD.yaml\",\"name\":\"\xc3\xa4\""));
}

TEST(Log, ANulInALineOfTheJournalBeginsNoOtherEntry) {
  using std::literals::string_view_literals::operator""sv;
  const LogField fields[] = {{"file", "f\0PRIORITY=0"sv}};
  EXPECT_EQ(FormatLine(LogFormat::kJournal, WallTime(), LogLevel::kInfo, "a\0PRIORITY=1"sv, fields),
            "MESSAGE=a PRIORITY=1 file=\"f\\u0000PRIORITY=0\"\0PRIORITY=6\0"
            "SYSLOG_IDENTIFIER=jettison\0JETTISON_FILE=f PRIORITY=0\0"sv);
}

class LogLevels : public testing::Test {
 protected:
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(LogLevels, LinesBelowTheLeastAreNotWritten) {
  log_.Debug("a pass");
  EXPECT_THAT(lines_, testing::IsEmpty()) << "unless asked for";
  log_.SetLeast(LogLevel::kDebug);
  log_.Debug("a pass");
  EXPECT_THAT(lines_, testing::SizeIs(1));
  log_.SetLeast(LogLevel::kError);
  log_.Warn("a warning");
  EXPECT_THAT(lines_, testing::SizeIs(1));
}

TEST_F(LogLevels, EventsThatDifferOnlyInTheirTimeAreRememberedOnceWithTheirNumber) {
  EventLog events(log_, 2);
  const auto add = [&](int second, const std::string& pod) {
    events.Add(Instant(std::chrono::seconds(second)), pod, {.reason = "BackOff", .message = "m"});
  };
  add(1, "a");
  add(2, "b");
  add(3, "a");
  ASSERT_EQ(events.events().size(), 2U);
  EXPECT_EQ(events.events()[0].pod, "b");
  EXPECT_EQ(events.events()[1].times, 2);
  EXPECT_EQ(events.events()[1].sequence, 3U);
  EXPECT_EQ(events.events()[1].first_at, Instant(std::chrono::seconds(1)));
  EXPECT_THAT(lines_, testing::SizeIs(3));
}

}  // namespace
}  // namespace jettison
