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

TEST(Simulate, EveryOptionThatIsWrongIsNamed) {
  const std::string wrong = "simulate missing --every=-5s --sweep foo --policy /nonexistent.yaml";
  for (const std::string more : {" --jobs 2", " --shard 3/2"}) {
    int status = 0;
    const std::string said = SaidTo(wrong + more, status);
    EXPECT_EQ(status, 2) << more;
    for (const char* fault : {"--every -5s: must be a duration", "foo: ", "/nonexistent.yaml: "}) {
      EXPECT_THAT(said, HasSubstr(std::string("jettison: ") + fault)) << more;
    }
  }
}

TEST(Simulate, OptionsThatDoNotGoTogetherAreRefused) {
  int status = 0;
  for (const std::string more : {"--html x", "--output json", "--against in-force"}) {
    EXPECT_THAT(SaidTo("simulate missing --shard 0/1 " + more, status),
                HasSubstr("--shard writes lines for --sum: it cannot be used with"));
    EXPECT_EQ(status, 2);
  }
  for (const std::string more : {"--policy p.yaml", "--shard 0/1", "--jobs 2"}) {
    EXPECT_THAT(SaidTo("simulate missing --sum " + more, status),
                HasSubstr("--sum adds up what was simulated"));
    EXPECT_EQ(status, 2);
  }
  EXPECT_THAT(SaidTo("simulate missing --sum --output json", status),
              HasSubstr("cannot open missing"));
  EXPECT_EQ(status, 1);
}

}  // namespace
}  // namespace jettison
