#include "cli/terminal/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace jettison {
namespace {

std::size_t ColumnsWhere(const char* variable) {
  ::setenv("COLUMNS", variable, 1);
  const std::size_t columns = ColumnsOfStandardOutput();
  ::unsetenv("COLUMNS");
  return columns;
}

TEST(ColumnsOfStandardOutput, OfAFileAreAsManyAsColumnsSaysAndElseAnyNumber) {
  if (::isatty(STDOUT_FILENO) == 1) GTEST_SKIP() << "standard output is a terminal";
  EXPECT_EQ(ColumnsWhere("72"), 72U);
  for (const char* no_number : {"", "0", "-1", "wide", "80x"}) {
    EXPECT_GT(ColumnsWhere(no_number), 1'000'000U) << no_number;
  }
}

}  // namespace
}  // namespace jettison
