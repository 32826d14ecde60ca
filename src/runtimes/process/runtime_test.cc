
#include <algorithm>

#include "runtimes/process/runs/shim_process.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

using ProcessRuntimeRun = ProcessRuntimeTest;

TEST_F(ProcessRuntimeRun, RunsACommandAndTellsHowItEnded) {
  const auto* exited = bed_.Run(ShellPod("u", "echo out; echo err >&2; exit 3"));
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
  EXPECT_EQ(exited->exit.signal, 0);
  EXPECT_FALSE(exited->exit.oom_killed);
  EXPECT_LE(exited->exit.started, exited->exit.finished);
  EXPECT_THAT(bed_.LogOf(bed_.known["u"]), HasSubstr("stdout F out\n"));
  EXPECT_THAT(bed_.LogOf(bed_.known["u"]), HasSubstr("stderr F err\n"));
  EXPECT_THAT(ReadFile(bed_.paths().Log(bed_.known["u"], "main", 0)).value_or(""),
              MatchesRegex("(20..-..-..T..:..:..\\..{9}Z std(out|err) F (out|err)\n){2}"));
}

TEST_F(ProcessRuntimeRun, TheContainerSeesItsEnvironmentAndNothingOfTheAgents) {
  ::setenv("JETTISON_SECRET", "x", 1);
  Pod pod = ShellPod("u", "echo \"$A|$JETTISON_SECRET|$HOSTNAME|$0\"; pwd");
  pod.containers[0].env = {{"A", "a"}};
  pod.containers[0].args = {"$(A)$(A)"};
  ASSERT_NE(bed_.Run(pod), nullptr);
  ::unsetenv("JETTISON_SECRET");
  EXPECT_EQ(bed_.LogOf(pod),
            "stdout F a||pod-u|aa\nstdout F " + bed_.paths().Rootfs("u", "main", 0) + "\n");
}

TEST_F(ProcessRuntimeRun, MuchOutputIsRotatedAndNoneIsLost) {
  bed_.Close();
  bed_.log_max_bytes = 150 << 10;  // of some 235: it is rotated once
  bed_.Open();
  ASSERT_TRUE(bed_.runtime().List());
  const Pod pod = ShellPod(
      "u", "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; exec sleep 1000");
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  const std::string folder = bed_.paths().ContainerLogs(pod, "main");
  std::string text;
  std::size_t files = 0;
  for (int i = 0; i < 1000 && (files < 2 || !text.ends_with("line 4999\n")); ++i) {
    EXPECT_EQ(bed_.Await<ContainerExited>("u", std::chrono::milliseconds(10)), nullptr);
    text.clear();
    const auto names = *NamesIn(folder);
    files = names.size();
    // "0.log" is the last one.
    for (const std::string& name : names) {
      if (name != "0.log") text += ReadFile(folder + "/" + name).value_or("");
    }
    text += ReadFile(folder + "/0.log").value_or("");
  }
  EXPECT_GE(files, 2U);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5000);
}

TEST_F(ProcessRuntimeRun, AProgramThatCannotBeExecutedIsAFailedStart) {
  Pod pod = ShellPod("u", "");
  const struct {
    std::vector<std::string> command;
    std::string working_dir;
    ErrorCode code;
    const char* message;
    StartFailure failure = StartFailure::kRun;
  } cases[] = {
      {{"no-such-program"}, "", ErrorCode::kNotFound, "cannot execute \"no-such-program\""},
      {{"/etc/passwd"}, "", ErrorCode::kPermissionDenied, "Permission denied"},
      {{"/"}, "", ErrorCode::kPermissionDenied, "cannot execute \"/\""},
      {{""}, "", ErrorCode::kNotFound, "cannot execute \"\""},
      {{"true"}, "/no/such/folder", ErrorCode::kNotFound, "change to folder /no/such/folder"},
      {{}, "", ErrorCode::kInvalidArgument, "has no command", StartFailure::kConfig},
      {{std::string("a\0b", 3)}, "", ErrorCode::kInvalidArgument, "NUL", StartFailure::kConfig},
  };
  int number = 0;
  for (const auto& [command, working_dir, code, message, failure] : cases) {
    const std::string uid = "u" + std::to_string(number++);
    Pod each = pod;
    each.uid = uid;
    each.containers[0].command = command;
    each.containers[0].working_dir = working_dir;
    ASSERT_TRUE(bed_.Create(each));
    bed_.runtime().StartContainer(uid, "main", 0, 0);
    const auto* failed = bed_.Await<ContainerStartFailed>(uid);
    ASSERT_NE(failed, nullptr) << message;
    EXPECT_EQ(failed->error.code, code) << failed->error.message;
    EXPECT_EQ(failed->failure, failure) << failed->error.message;
    EXPECT_THAT(failed->error.message, HasSubstr(message));
    EXPECT_THAT(*NamesIn(bed_.paths().Container(uid, "main")), IsEmpty()) << "nothing may stay";
    EXPECT_THAT(*NamesIn(bed_.paths().ContainerLogs(each, "main")), IsEmpty());
  }
}

TEST_F(ProcessRuntimeRun, AProcessThatCannotJoinItsGroupsNeverRuns) {
  const std::string mark = folder_.path() + "/ran";
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark)));
  cgroups_.FailOn(FakeCgroups::Operation::kJoin, kGroup + "/main",
                  {ErrorCode::kInternal, "no room"});
  bed_.runtime().StartContainer("u", "main", 0, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("into its control groups: no room"));
  EXPECT_EQ(failed->failure, StartFailure::kCreate);
  EXPECT_FALSE(Exists(mark));
}

TEST(StartErrorOfAShim, WhatTheMachineHasTooLittleOfIsNoRunOfTheContainer) {
  const auto failure = [](shim::Stage stage, int error) {
    return StartErrorOf({.stage = stage, .error = error}).failure;
  };
  EXPECT_EQ(failure(shim::Stage::kExec, ENOENT), StartFailure::kRun);
  EXPECT_EQ(failure(shim::Stage::kExec, EAGAIN), StartFailure::kCreate);
  EXPECT_EQ(failure(shim::Stage::kMountNamespace, ENOSPC), StartFailure::kCreate);
  EXPECT_EQ(failure(shim::Stage::kMount, EPERM), StartFailure::kRun);
  EXPECT_EQ(failure(shim::Stage::kFork, EPERM), StartFailure::kCreate);
  EXPECT_EQ(failure(shim::Stage::kSource, ENOENT), StartFailure::kConfig);
}

}  // namespace
}  // namespace jettison::process
