#include "cli/simulate/simulate.h"

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
  AddSimulate(app, status);
  ::testing::internal::CaptureStderr();
  app.parse(arguments);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Simulate, AShardIsWrittenAsAPartAndNothingElse) {
  for (const std::string& output : {"text", "json", "csv"}) {
    int status = 0;
    EXPECT_THAT(SaidTo("simulate missing --shard 0/1 --out x.part --output " + output, status),
                HasSubstr("--shard writes a part, so --output must be part, not " + output));
    EXPECT_EQ(status, 2);
  }
  for (const std::string& output : {"", " --output part"}) {
    int status = 0;
    EXPECT_THAT(SaidTo("simulate missing --shard 0/1 --out x.part" + output, status),
                HasSubstr("cannot open missing"));
  }
}

TEST(Simulate, AReportIsNotWrittenOverItsPlots) {
  int status = 0;
  EXPECT_EQ(SaidTo("simulate missing --html x --svg ./x", status),
            "jettison: --svg ./x: is the same path as that of --html; name another one\n");
  EXPECT_EQ(status, 2);
}

}  // namespace
}  // namespace jettison
