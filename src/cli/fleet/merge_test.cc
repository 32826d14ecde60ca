#include "cli/fleet/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace jettison {
namespace {

using ::testing::HasSubstr;

// What a command line says on standard error.
std::string SaidTo(const std::string& arguments, int& status) {
  CLI::App app;
  AddMerge(app, status);
  ::testing::internal::CaptureStderr();
  app.parse(arguments);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Merge, RowsOfWhatIsNoTableAreAFault) {
  for (const std::string& output : {"", " --output text", " --output json"}) {
    int status = 0;
    EXPECT_THAT(SaidTo("merge missing.part --rows evictions" + output, status),
                HasSubstr("--rows chooses the table of --output csv; --output is "));
    EXPECT_EQ(status, 2);
  }
  int status = 0;
  EXPECT_THAT(SaidTo("merge missing.part --rows evictions --output csv", status),
              HasSubstr("cannot open missing.part"));
}

}  // namespace
}  // namespace jettison
