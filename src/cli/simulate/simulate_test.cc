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

TEST(Simulate, AShardIsWrittenAsLinesAndNothingElse) {
  for (const std::string output : {"text", "json", "csv"}) {
    int status = 0;
    EXPECT_THAT(
        SaidTo("simulate missing --shard 0/1 --out x --output " + output, status),
        HasSubstr("--shard writes lines for --sum, so --output must be ndjson, not " + output));
    EXPECT_EQ(status, 2);
  }
  for (const std::string output : {"", " --output ndjson"}) {
    int status = 0;
    EXPECT_THAT(SaidTo("simulate missing --shard 0/1 --out x" + output, status),
                HasSubstr("cannot open missing"));
  }
}

TEST(Simulate, EveryOptionThatIsWrongIsNamed) {
  const std::string wrong = "simulate missing --every=-5s --sweep foo --policy /nonexistent.yaml";
  for (const std::string more : {" --jobs 2", " --shard 3/2", " --shard 3/2 --html x"}) {
    int status = 0;
    const std::string said = SaidTo(wrong + more, status);
    EXPECT_EQ(status, 2) << more;
    for (const char* fault : {"--every -5s: must be a duration", "foo: ", "/nonexistent.yaml: "}) {
      EXPECT_THAT(said, HasSubstr(std::string("jettison: ") + fault)) << more;
    }
  }
}

TEST(Simulate, EveryOptionThatIsWrongForAnOutputIsNamed) {
  int status = 0;
  const std::string said = SaidTo("simulate missing --output csv --shard 3/2 --partial", status);
  EXPECT_THAT(said, HasSubstr("--output must be ndjson, not csv"));
  EXPECT_THAT(said, HasSubstr("--partial needs --sum"));
  EXPECT_THAT(said, HasSubstr("3/2"));
  EXPECT_EQ(status, 2);
  EXPECT_THAT(SaidTo("simulate missing --shard 0/1 --html x", status),
              HasSubstr("--html cannot be used with --output ndjson or --shard"));
  EXPECT_THAT(SaidTo("simulate missing --rows evictions", status),
              HasSubstr("--rows chooses the table of --output csv; --output is text"));
  EXPECT_THAT(SaidTo("simulate missing --sum --policy p.yaml", status),
              HasSubstr("--policy cannot be used with --sum"));
  EXPECT_EQ(status, 2);
  EXPECT_THAT(SaidTo("simulate missing --sum --output csv --rows evictions", status),
              HasSubstr("cannot open missing"));
  EXPECT_EQ(status, 1);
}

}  // namespace
}  // namespace jettison
