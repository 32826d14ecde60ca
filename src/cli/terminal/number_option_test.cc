#include "cli/terminal/number_option.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(NumberOption, AWholeNumberWithinTheRangeIsTaken) {
  const auto check = WholeNumber(1, 20);
  for (const char* text : {"1", "7", "20"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "21", "1.5", "7x", "18446744073709551616"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a whole number from 1 to 20");
  }
}

TEST(NumberOption, ANumberWithinTheRangeIsTakenAndNanIsNone) {
  const auto check = Number(0.1, 3600);
  for (const char* text : {"0.1", "1e2", "3600"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "nan", "inf", "3601", "1s", "1e999"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a number from 0.1 to 3600");
  }
}

}  // namespace
}  // namespace jettison
