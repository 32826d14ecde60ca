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
  line.Add("web").To(6).Add("x").RightTo(12, "80");
  EXPECT_EQ(line.Render(80, kPlainText), "web   x   80");
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

}  // namespace
}  // namespace jettison
