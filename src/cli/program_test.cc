#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

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

TEST_F(WholeProgram, HasHelpAsACommand) {
  EXPECT_EQ(Run({"help"}), 0);
  EXPECT_THAT(out_, HasSubstr("jettison simulate node.jtr"));
  EXPECT_EQ(Run({"simulate", "--help"}), 0);
  const std::string of_simulate = out_;
  EXPECT_EQ(Run({"help", "simulate"}), 0);
  EXPECT_EQ(out_, of_simulate);
}

TEST_F(WholeProgram, NamesWhatItDoesNotKnowAndTheNearest) {
  struct Wrong {
    std::vector<const char*> words;
    const char* complaint;
  };
  for (const Wrong& row : {
           Wrong{{}, "A subcommand is required; see `jettison --help`\n"},
           Wrong{{"simulat", "x"},
                 "unexpected argument \"simulat\" (did you mean \"simulate\"?); "
                 "see `jettison --help`\n"},
           Wrong{{"evict", "--now"}, "unexpected argument \"evict\"; see `jettison --help`\n"},
           Wrong{{"--verison"},
                 "unexpected argument \"--verison\" (did you mean \"--version\"?); "
                 "see `jettison --help`\n"},
           Wrong{{"status", "--nonsense"},
                 "unexpected argument \"--nonsense\"; see `jettison status --help`\n"},
           Wrong{{"check-config", "--ouptut=json", "node.yaml"},
                 "unexpected argument \"--ouptut\" (did you mean \"--output\"?); "
                 "see `jettison check-config --help`\n"},
           Wrong{{"explain", "a", "b", "c"},
                 "unexpected argument \"b\"; see `jettison explain --help`\n"},
       }) {
    EXPECT_EQ(Run(row.words), 2);
    EXPECT_EQ(complaint_, std::string("jettison: ") + row.complaint);
  }
}

TEST_F(WholeProgram, NamesTheSignalThatWasProbablyMeant) {
  for (const char* command : {"rank", "top"}) {
    EXPECT_EQ(Run({command, "--signal", "memory.availabel"}), 2);
    EXPECT_THAT(complaint_,
                HasSubstr("--signal: memory.availabel: there is no such signal (did you "
                          "mean \"memory.available\"?); allowed: memory.available, "))
        << command;
  }
}

TEST_F(WholeProgram, SaysByItsStatusWhetherAConfigurationIsFaultyOrCannotBeRead) {
  const kernel::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::string path = folder.path() + "/" + name;
    EXPECT_TRUE(kernel::WriteFile(path, text));
    return path;
  };
  const std::string missing = folder.path() + "/missing.yaml";
  EXPECT_EQ(Run({"run", "--config", missing.c_str()}), 1);
  EXPECT_EQ(complaint_, "jettison: " + missing + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(Run({"run", "--config", folder.path().c_str()}), 1);
  const std::string ours = write("ours.yaml",
                                 "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
                                 "source: kubernetes\n"
                                 "kubernetes: {kubeletConfiguration: " +
                                     missing + "}\n");
  EXPECT_EQ(Run({"run", "--config", ours.c_str()}), 1);
  EXPECT_THAT(complaint_, HasSubstr(missing + ": cannot be read"));
  const std::string faulty = write(
      "faulty.yaml", "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\ndryRun: 7\n");
  EXPECT_EQ(Run({"run", "--config", faulty.c_str()}), 2);
}

TEST_F(WholeProgram, CanBeStartedAgainWhereTheKubeletsConfigurationKeepsTheAgentFromStarting) {
  const kernel::TemporaryFolder folder;
  const std::string theirs = folder.path() + "/kubelet.yaml";
  const std::string ours = folder.path() + "/ours.yaml";
  const std::string head =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
  ASSERT_TRUE(kernel::WriteFile(
      ours,
      "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
      "kubernetes: {kubeletConfiguration: " +
          theirs + "}\n---\n" + head + "evictionHard: {memory.available: 500Mi}\n"));
  for (const std::string& text : {std::string(), head + "evictionHard: {memory",
                                  head + "evictionHard: {memory.available: 1x}\n",
                                  head + "evictionHard: {memory.available: 1Gi}\n"}) {
    ASSERT_TRUE(kernel::WriteFile(theirs, text));
    EXPECT_EQ(Run({"run", "--config", ours.c_str()}), 1) << text;
    EXPECT_THAT(complaint_, HasSubstr("this depends on the kubelet's configuration")) << text;
  }
}

}  // namespace
}  // namespace jettison
