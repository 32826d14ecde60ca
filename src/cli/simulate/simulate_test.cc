#include "cli/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

TEST(Simulate, EveryOptionThatIsWrongIsNamed) {
  const std::string wrong = "simulate missing --every=-5s --sweep foo --policy /nonexistent.yaml";
  for (const std::string& more :
       {" --jobs 2 --html x", " --output part --shard 3/2", " --shard 3/2 --html x"}) {
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
  std::string said = SaidTo("simulate missing --jobs 2 --html x --every=-5s", status);
  EXPECT_THAT(said, HasSubstr("--out and --jobs need --output part"));
  said = SaidTo("simulate missing --output csv --shard 3/2 --html x", status);
  EXPECT_THAT(said, HasSubstr("--shard writes a part, so --output must be part, not csv"));
  EXPECT_THAT(said, HasSubstr("--html cannot be used with --output part"));
  EXPECT_THAT(said, HasSubstr("3/2"));
  EXPECT_THAT(said, HasSubstr("--out is missing"));
}

}  // namespace
}  // namespace jettison
