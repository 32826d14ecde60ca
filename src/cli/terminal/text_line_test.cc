#include "cli/terminal/text_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TextStyle kPlainText = {.color = false, .unicode = true};
constexpr TextStyle kPlainAscii = {.color = false, .unicode = false};

TEST(TextLine, ColumnsLineUp) {
  TextLine line;
  line.Add("web").To(6).Add("x");
  EXPECT_EQ(line.Render(80, kPlainText), "web   x");
}

TEST(TextLine, WhatIsTooLongForItsColumnIsPartedByOneBlank) {
  TextLine line;
  line.Add("database").To(4).Add("x");
  EXPECT_EQ(line.Render(80, kPlainText), "database x");
}

TEST(TextLine, ALineIsCutOffWithAnEllipsis) {
  TextLine line;
  line.Add("abc").Add("defg");
  EXPECT_EQ(line.Render(7, kPlainText), "abcdefg");
  EXPECT_EQ(line.Render(5, kPlainText), "abcd…");
  EXPECT_EQ(line.Render(5, kPlainAscii), "abcd~");
  EXPECT_EQ(line.Render(0, kPlainText), "");
}

TEST(TextLine, WidthCountsCharactersAndNotBytes) {
  TextLine line;
  line.Add("██┃").To(5).Add("x");
  EXPECT_EQ(line.width(), 6U);
  EXPECT_EQ(line.Render(6, kPlainText), "██┃  x");
  EXPECT_EQ(line.Render(3, kPlainText), "██…");
}

TEST(TextLine, InkIsWrittenOnlyWithColor) {
  TextLine line;
  line.Add("a", Ink::kBad).Add("b");
  EXPECT_EQ(line.Render(80, kPlainText), "ab");
  EXPECT_EQ(line.Render(80, {.color = true}), "\x1b[31ma\x1b[0mb");
}

TEST(TextLine, AControlCharacterDoesNotReachTheTerminal) {
  TextLine line;
  line.Add(
      "a\x1b[2Jb\nc\x7f\xc2\x9b"
      "d\xc3\xa4");
  EXPECT_EQ(line.Render(80, kPlainText), "a [2Jb c  d\xc3\xa4");
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(Wrap("one two three", 7, 9, kPlainText), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("unbreakable word", 4, 9, kPlainText), ElementsAre("unbreakable", "word"));
  EXPECT_THAT(Wrap("blank at the end ", 20, 9, kPlainText), ElementsAre("blank at the end"));
  EXPECT_THAT(Wrap("", 4, 9, kPlainText), IsEmpty());
}

TEST(Wrap, TheLastLineSaysThatThereIsMore) {
  EXPECT_THAT(Wrap("one two three", 7, 1, kPlainText), ElementsAre("one tw…"));
}

std::vector<std::string> Table(std::size_t columns) {
  std::vector<std::string> lines;
  for (const TextLine& line : TableLines({{.header = "POD", .most = 5},
                                          {.header = "QOS", .dispensable = 1},
                                          {.header = "MB", .right = true}},
                                         {{TextLine("web"), TextLine("Burstable"), TextLine("164")},
                                          {TextLine("database"), TextLine(), TextLine("7")}},
                                         columns, kPlainAscii)) {
    lines.push_back(line.Render(columns, kPlainAscii));
  }
  return lines;
}

TEST(TableLines, ColumnsAreAsWideAsTheirCellsAndFiguresEndTogether) {
  EXPECT_THAT(Table(80), ElementsAre("POD    QOS         MB", "web    Burstable  164",
                                     "data~               7"));
}

TEST(TableLines, WhatCanBeSparedGoesWhereThereIsNoRoom) {
  EXPECT_THAT(Table(20), ElementsAre("POD     MB", "web    164", "data~    7"));
}

std::string BarText(const BarFigures& figures, std::size_t columns = 20) {
  return Bar(figures, columns, kPlainAscii).Render(columns, kPlainAscii);
}

TEST(Bar, TheThresholdStandsAtTheSamePlaceForEverySignal) {
  EXPECT_EQ(BarText({.available = 500, .capacity = 1000, .threshold = 100}, 40).find('|'), 30U);
  EXPECT_EQ(BarText({.available = 7, .capacity = 64, .threshold = 60}, 40).find('|'), 30U);
}

TEST(Bar, ReachesItsMarkExactlyWhenTheThresholdIsReached) {
  const BarFigures figures = {.available = {}, .capacity = 1000, .threshold = 100};
  EXPECT_DOUBLE_EQ(BarShare(figures, 100), kThresholdAt);
  EXPECT_DOUBLE_EQ(BarShare(figures, 1000), 0);
  EXPECT_LE(BarShare(figures, -1), 1);
}

TEST(Bar, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(BarText({}), "...............|....");
}

TEST(Bar, AThresholdThatIsMetEarlierHasAMarkBeforeTheOther) {
  EXPECT_EQ(BarText({.available = 1000, .capacity = 1000, .threshold = 100, .earlier = 400}),
            "..........!....|....");
}

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
