#include "kernel/files/line_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

std::vector<std::string> LinesOf(std::string text) {
  std::FILE* stream = fmemopen(text.data(), text.size(), "r");
  LineReader reader(stream);
  std::vector<std::string> lines;
  while (const auto line = reader.Next()) lines.emplace_back(*line);
  EXPECT_EQ(reader.line_number(), lines.size());
  std::fclose(stream);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsAtNewlinesAndKeepsEmptyLines) {
  EXPECT_EQ(LinesOf("a\n\nbc\n"), (Lines{"a", "", "bc"}));
}

TEST(LineReader, TheLastLineNeedsNoNewline) {
  EXPECT_EQ(LinesOf("a\nb"), (Lines{"a", "b"}));
}

TEST(LineReader, LinesMayBeLongerThanAnyChunk) {
  const std::string longest(3'000'000, 'x');
  EXPECT_EQ(LinesOf("a\n" + longest + "\n" + longest + "\nb\n"),
            (Lines{"a", longest, longest, "b"}));
}

TEST(LineReader, OfALineThatIsTooLongTheBeginningIsGivenAndTheRestPassedOver) {
  const std::string fits(1'000'000, 'x');
  for (const std::size_t behind : {std::size_t{1}, std::size_t{2'000'000}}) {
    std::string text = fits + "\n" + fits + std::string(behind, 'y') + "\nb\n" + fits + "yy";
    std::FILE* stream = fmemopen(text.data(), text.size(), "r");
    LineReader reader(stream, fits.size());
    const auto expect = [&](const std::string& line, bool is_cut_off) {
      EXPECT_EQ(reader.Next(), line);
      EXPECT_EQ(reader.IsCutOff(), is_cut_off);
    };
    expect(fits, false);
    expect(fits, true);
    expect("b", false);
    expect(fits, true);
    EXPECT_EQ(reader.Next(), std::nullopt);
    EXPECT_EQ(reader.line_number(), 4U);
    std::fclose(stream);
  }
}

TEST(LineReader, ADeviceWithoutAnEndOfLineIsNotTakenInWhole) {
  std::FILE* stream = std::fopen("/dev/zero", "re");
  ASSERT_NE(stream, nullptr);
  LineReader reader(stream, std::size_t{1} << 20);
  EXPECT_EQ(reader.Next()->size(), std::size_t{1} << 20);
  EXPECT_TRUE(reader.IsCutOff());
  EXPECT_EQ(reader.TooLong(), "the line is longer than 1 MiB");
  std::fclose(stream);
}

}  // namespace
}  // namespace jettison
