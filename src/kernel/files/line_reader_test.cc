#include "kernel/files/line_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

std::vector<std::string> LinesOf(std::string text) {
  std::FILE* stream = fmemopen(text.data(), text.size(), "r");
  LineReader reader(stream, 64);
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

}  // namespace
}  // namespace jettison
