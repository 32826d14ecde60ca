#include "cli/command_line/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jettison {
namespace {

using ::testing::HasSubstr;

class WholeProgram : public testing::Test {
 protected:
  // The exit status; what it wrote is in `out_` and `complaint_`.
  int Run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "jettison");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunProgram("1.2.3", static_cast<int>(arguments.size()), arguments.data());
    complaint_ = testing::internal::GetCapturedStderr();
    out_ = testing::internal::GetCapturedStdout();
    return status;
  }
  std::string out_;
  std::string complaint_;
};

TEST_F(WholeProgram, SaysItsVersionAndHowItIsUsed) {
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_EQ(out_, "jettison 1.2.3\n");
  EXPECT_EQ(Run({"status", "--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("--exit-code"));
  EXPECT_EQ(complaint_, "");
}

TEST_F(WholeProgram, ThatIsCalledWithoutACommandIsWrongUsage) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_THAT(complaint_, HasSubstr("A subcommand is required"));
}

TEST_F(WholeProgram, ThatIsCalledWithACommandThatThereIsNotNamesItAndTheNearest) {
  EXPECT_EQ(Run({"simulat", "x"}), 2);
  EXPECT_EQ(complaint_,
            "jettison: \"simulat\" is no command; did you mean \"simulate\"? "
            "`jettison --help` lists them\n");
  EXPECT_EQ(Run({"evict", "--now"}), 2);
  EXPECT_EQ(complaint_, "jettison: \"evict\" is no command; `jettison --help` lists them\n");
}

TEST_F(WholeProgram, ComplainsOfAnOptionThatThereIsNot) {
  EXPECT_EQ(Run({"status", "--nonsense"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("--nonsense"));
}

TEST_F(WholeProgram, RefusesValuesThatNoCommandCanUse) {
  const std::vector<std::vector<const char*>> lines = {{"simulate", "node.jtr", "--shard", ""},
                                                       {"record", "node.jtr", "--since", ""},
                                                       {"record", "--since=", "node.jtr"},
                                                       {"explain", "--file", ""},
                                                       {"explain", ""},
                                                       {"check-config", ""},
                                                       {"merge", "parts", "--out", ""}};
  for (const std::vector<const char*>& line : lines) {
    EXPECT_EQ(Run(line), 2) << line[0];
    EXPECT_THAT(complaint_, HasSubstr("must not be empty")) << line[0];
  }
  EXPECT_EQ(Run({"simulate", "node.jtr", "--html", "-"}), 2);
  EXPECT_THAT(complaint_,
              HasSubstr("--html: must not be -, because standard output has the result"));
  EXPECT_EQ(Run({"complete", "--", "status", "--output", ""}), 0);
  EXPECT_EQ(out_, "text\njson\n");
}

}  // namespace
}  // namespace jettison
