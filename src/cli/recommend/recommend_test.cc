#include "cli/recommend/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/simulate/fleet_bed.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class RecommendCommand : public FleetBed {
 protected:
  // The exit status; what it says is in `said_`, what it prints in `printed_`.
  int Run(std::vector<std::string> arguments) {
    CLI::App app;
    int exit_code = 0;
    AddRecommend(app, exit_code);
    arguments.insert(arguments.begin(), "recommend");
    std::ranges::reverse(arguments);  // as CLI11 takes them
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    app.parse(arguments);
    said_ = ::testing::internal::GetCapturedStderr();
    printed_ = ::testing::internal::GetCapturedStdout();
    return exit_code;
  }

  std::string said_;
  std::string printed_;
};

TEST_F(RecommendCommand, PrintsTheConfigurationAlthoughItIsWrittenToAFileAsWell) {
  Put("a.jtr", BinaryOf(LifeOf("node-a", 3)));
  EXPECT_EQ(Run({Path("a.jtr"), "--output", "yaml", "--out", Path("k.yaml")}), 0) << said_;
  EXPECT_THAT(printed_, HasSubstr("kind: KubeletConfiguration"));
  EXPECT_EQ(*kernel::ReadFile(Path("k.yaml")), printed_);
}

}  // namespace
}  // namespace jettison
