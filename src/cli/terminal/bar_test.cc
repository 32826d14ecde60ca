#include "cli/terminal/bar.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

constexpr TextStyle kAscii = {.color = false, .unicode = false};

std::string Bar(const BarFigures& figures, std::size_t columns = 20) {
  TextLine line;
  AddBar(line, figures, columns, kAscii);
  return line.Render(columns, kAscii);
}

TEST(Bar, TheThresholdStandsAtTheSamePlaceForEverySignal) {
  EXPECT_EQ(Bar({.available = 500, .capacity = 1000, .threshold = 100}, 40).find('|'), 30U);
  EXPECT_EQ(Bar({.available = 7, .capacity = 64, .threshold = 60}, 40).find('|'), 30U);
}

TEST(Bar, ReachesItsMarkExactlyWhenTheThresholdIsReached) {
  const BarFigures figures = {.available = {}, .capacity = 1000, .threshold = 100};
  EXPECT_DOUBLE_EQ(BarShare(figures, 100), kThresholdAt);
  EXPECT_DOUBLE_EQ(BarShare(figures, 1000), 0);
  EXPECT_LE(BarShare(figures, -1), 1);
}

TEST(Bar, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(Bar({}), "...............|....");
}

TEST(Bar, TheLowestAmountLeavesAShadow) {
  EXPECT_EQ(Bar({.available = 1000, .capacity = 1000, .threshold = 100, .lowest = 90}),
            ":::::::::::::::|....");
}

TEST(Bar, AThresholdThatIsMetEarlierHasAMarkBeforeTheOther) {
  EXPECT_EQ(Bar({.available = 1000, .capacity = 1000, .threshold = 100, .earlier = 400}),
            "..........!....|....");
}

}  // namespace
}  // namespace jettison
