#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "ports/fakes/scarcity.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/shim_process.h"
#include "runtimes/process/runs/testing/fifo.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using namespace testing;

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
    const auto& failed = bed_.Need<ContainerStartFailed>(uid);
    EXPECT_EQ(failed.error.code, code) << failed.error.message;
    EXPECT_EQ(failed.failure, failure) << failed.error.message;
    EXPECT_THAT(failed.error.message, HasSubstr(message));
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
  const auto& failed = bed_.Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message, HasSubstr("into its control groups: no room"));
  EXPECT_EQ(failed.failure, StartFailure::kCreate);
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

using ProcessRuntimeEnd = ProcessRuntimeTest;

TEST_F(ProcessRuntimeEnd, StopSendsTermAndKillEndsWhatIgnoresIt) {
  const Fifo up(folder_.path() + "/up");
  ASSERT_TRUE(bed_.Start(
      ShellPod("u", "trap '' TERM; echo up > " + up.path() + "; while :; do sleep 0.01; done")));
  ASSERT_EQ(up.Await(), "up\n");
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(1));
  EXPECT_EQ(cgroups_.signals().back().signal, SIGTERM);
  bed_.runtime().KillContainer("u", "main");
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
  EXPECT_EQ(exited.exit.signal, SIGKILL);
}

// Signals to very many processes are sent beside the caller.
class SlowToSignal : public FakeCgroups {
 public:
  [[nodiscard]] bool IsSignalling(std::string_view path) override {
    return still_signals && path == kGroup + "/main";
  }
  bool still_signals = true;
};

TEST(ProcessRuntimeMassKill, TheEndIsToldWhenNoKillCanReachTheNextRun) {
  SlowToSignal cgroups;
  const TemporaryFolder folder;
  RuntimeBed bed(cgroups, folder.path());
  bed.Open();
  ASSERT_TRUE(bed.Start(ShellPod("u", "true")));
  EXPECT_EQ(bed.Await<ContainerExited>("u", std::chrono::milliseconds(50)), nullptr);
  cgroups.still_signals = false;
  EXPECT_NE(bed.Await<ContainerExited>("u"), nullptr);
  EXPECT_TRUE(bed.Remove("u"));
}

TEST_F(ProcessRuntimeEnd, ThePreStopHookRunsBeforeTerm) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "echo $HOSTNAME > " + mark}};
  ASSERT_TRUE(bed_.Start(pod));
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  EXPECT_THAT(cgroups_.signals(), IsEmpty());
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.signal, SIGTERM);
  EXPECT_EQ(*ReadFile(mark), "pod-u\n");
}

TEST_F(ProcessRuntimeEnd, AHookThatTakesTooLongDoesNotHoldTermUp) {
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"sleep", "1000"}};
  ASSERT_TRUE(bed_.Start(pod));
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  bed_.runtime().StopContainer("u", "main", std::chrono::milliseconds(20));
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.signal, SIGTERM);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("did not end within the grace period")));
}

TEST_F(ProcessRuntimeEnd, AnOomKillIsToldWithTheExit) {
  ASSERT_TRUE(bed_.Start(ShellPod("u", "exec sleep 1000")));
  cgroups_.SetOomKills(kGroup + "/main", 1);
  bed_.runtime().KillContainer("u", "main");
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_TRUE(exited.exit.oom_killed);
}

// A disk that answers with an error, or a shortage of descriptors, may be over in a moment.
TEST_F(ProcessRuntimeEnd, AnExitThatCannotBeReadForAMomentIsReadAgain) {
  const Fifo up(folder_.path() + "/up");
  ASSERT_TRUE(bed_.Start(
      ShellPod("u", "trap 'exit 3' TERM; echo up > " + up.path() + "; sleep 1000 & wait")));
  ASSERT_EQ(up.Await(), "up\n");
  {
    const ScarceDescriptors none(-1);
    for (int i = 0; i < 200 && bed_.logged.empty(); ++i) {
      bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
      EXPECT_EQ(bed_.Await<ContainerExited>("u", std::chrono::milliseconds(50)), nullptr);
    }
  }
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("cannot be read")));
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 3);
}

// Control groups in memory, one of which accepts a process only when the test allows it.
class SlowGroups : public FakeCgroups {
 public:
  explicit SlowGroups(std::string slow) : slow_(std::move(slow)) {}

  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override {
    if (path != slow_) return FakeCgroups::OpenProcs(path);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return FailErrno("pipe2");
    pipe_ = FileDescriptor(ends[0]);
    const std::vector<char> full(static_cast<std::size_t>(::fcntl(ends[1], F_GETPIPE_SZ)), ' ');
    EXPECT_EQ(::write(ends[1], full.data(), full.size()), static_cast<ssize_t>(full.size()));
    std::vector<ProcsFile> files;
    files.push_back({.name = slow_, .file = FileDescriptor(ends[1])});
    return files;
  }
  // Waits until the process has been written into the file.
  void LetIn() {
    std::string text;
    std::array<char, 4096> piece{};
    while (text.find('\n') == std::string::npos) {
      const ssize_t n = ::read(pipe_.get(), piece.data(), piece.size());
      ASSERT_GT(n, 0);
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    ASSERT_TRUE(Join(slow_, std::atoi(text.c_str())));
  }

 private:
  const std::string slow_;
  FileDescriptor pipe_;
};

class ProcessRuntimeGroups : public ProcessRuntimeTest {
 protected:
  ProcessRuntimeGroups() : ProcessRuntimeTest(std::make_unique<SlowGroups>(kGroup + "/main")) {}
  void LetIn() { dynamic_cast<SlowGroups&>(cgroups_).LetIn(); }
  const std::string mark_ = folder_.path() + "/ran";
};

TEST_F(ProcessRuntimeGroups, WhileTheKernelMovesAProcessTheRuntimeDoesOtherWork) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark_)));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  const auto* other = bed_.Run(ShellPod("other", "exit 3"));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->exit.exit_code, 3);
  EXPECT_FALSE(Exists(mark_)) << "the program does not run outside of its groups";
  LetIn();
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_TRUE(Exists(mark_));
}

TEST_F(ProcessRuntimeGroups, AKillThatComesMeanwhileEndsTheProgram) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  bed_.runtime().KillContainer("u", "main");
  LetIn();
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
}

using ProcessRuntimeFailedGroups = ProcessRuntimeTest;

TEST_F(ProcessRuntimeFailedGroups, AHookThatCannotJoinTheGroupsIsNotRunAndTermFollows) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "touch " + mark}};
  ASSERT_TRUE(bed_.Start(pod));
  cgroups_.FailOn(FakeCgroups::Operation::kJoin, kGroup + "/main",
                  {ErrorCode::kInternal, "no room"});
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.signal, SIGTERM);
  EXPECT_FALSE(Exists(mark));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("into its control groups: no room")));
}

}  // namespace
}  // namespace jettison::process
