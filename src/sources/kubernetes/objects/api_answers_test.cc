#include "sources/kubernetes/objects/api_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jettison::kube {
namespace {

using ::testing::ElementsAre;

TEST(LineCutter, GivesTheSameLinesHoweverTheBytesCome) {
  const std::string bytes = "{\"a\":1}\n\nbb\nccc\nrest";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    LineCutter cutter(10);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_TRUE(cutter.Push(std::string_view(bytes).substr(at, piece),
                              [&](std::string_view line) { lines.emplace_back(line); }));
    }
    EXPECT_THAT(lines, ElementsAre("{\"a\":1}", "bb", "ccc")) << piece;
  }
}

TEST(LineCutter, ALineThatIsTooLongIsRefusedAndNotHeld) {
  LineCutter cutter(3);
  const auto ignore = [](std::string_view) {};
  EXPECT_TRUE(cutter.Push("abc\nab", ignore));
  EXPECT_FALSE(cutter.Push("cd", ignore));
  EXPECT_FALSE(cutter.Push("abcd\n", ignore));
}

}  // namespace
}  // namespace jettison::kube
