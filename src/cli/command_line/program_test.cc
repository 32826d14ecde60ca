#include "cli/command_line/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"help"}, {"help", "help"}, {"help", "--help"}}) {
    EXPECT_EQ(Run(words), 0);
    EXPECT_THAT(out_, HasSubstr("jettison simulate node.jtr"));
  }
  EXPECT_EQ(Run({"simulate", "--help"}), 0);
  const std::string of_simulate = out_;
  EXPECT_EQ(Run({"help", "simulate"}), 0);
  EXPECT_EQ(out_, of_simulate);
  EXPECT_EQ(Run({"help", "statsu"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("\"statsu\" is not a command; did you mean \"status\"?"));
}

TEST_F(WholeProgram, ThatIsCalledWithoutACommandIsWrongUsage) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(complaint_, "jettison: a command is missing; `jettison --help` lists them\n");
}

TEST_F(WholeProgram, ThatIsCalledWithACommandThatThereIsNotNamesItAndTheNearest) {
  EXPECT_EQ(Run({"simulat", "x"}), 2);
  EXPECT_EQ(complaint_,
            "jettison: \"simulat\" is not a command; did you mean \"simulate\"? "
            "`jettison --help` lists them\n");
  EXPECT_EQ(Run({"evict", "--now"}), 2);
  EXPECT_EQ(complaint_, "jettison: \"evict\" is not a command; `jettison --help` lists them\n");
}

TEST_F(WholeProgram, SaysWhatToUseInsteadOfAFormerCommand) {
  EXPECT_EQ(Run({"merge", "parts/", "--output", "csv"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("there is no command merge any more; use `jettison simulate "
                                    "--sum FILES`"));
  EXPECT_EQ(Run({"diff", "node.jtr", "in-force", "new.yaml"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("--policy B --against A"));
  EXPECT_EQ(Run({"help", "calibrate"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("begins with the calibration"));
}

TEST_F(WholeProgram, NamesAnOptionThatThereIsNotAndTheNearest) {
  EXPECT_EQ(Run({"status", "--nonsense"}), 2);
  EXPECT_EQ(complaint_,
            "jettison: there is no option --nonsense; `jettison status --help` lists them\n");
  const char* const nearest =
      "jettison: there is no option --ouptut; did you mean --output? "
      "`jettison check-config --help` lists them\n";
  EXPECT_EQ(Run({"check-config", "--ouptut", "json", "node.yaml"}), 2);
  EXPECT_EQ(complaint_, nearest);
  EXPECT_EQ(Run({"check-config", "--ouptut=json"}), 2) << "although FILE is missing, too";
  EXPECT_EQ(complaint_, nearest);
  EXPECT_EQ(Run({"--verison"}), 2);
  EXPECT_EQ(complaint_,
            "jettison: there is no option --verison; did you mean --version? "
            "`jettison --help` lists them\n");
  EXPECT_EQ(Run({"status", "-x"}), 2);
  EXPECT_EQ(complaint_, "jettison: there is no option -x; `jettison status --help` lists them\n");
}

TEST_F(WholeProgram, NamesTheFirstArgumentThatIsTooMany) {
  EXPECT_EQ(Run({"explain", "a", "b", "c"}), 2);
  EXPECT_EQ(complaint_, "jettison: unexpected argument \"b\"; see `jettison explain --help`\n");
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
