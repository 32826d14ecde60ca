#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "platform/process/fifo.h"
#include "platform/process/runtime_bed.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison::process {

using namespace pod_host;
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

const std::string kGroup = "kubepods/burstable/podu";

// The runtime with real processes over control groups in memory, which pass signals on.
class ProcessRuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    cgroups_.OnSignal([](pid_t pid, int signal) { ::kill(pid, signal); });
    bed_.Open();
  }
  void TearDown() override {
    for (const auto& [uid, pod] : bed_.known) EXPECT_TRUE(bed_.Remove(uid));
  }

  FakeCgroups cgroups_;
  TemporaryFolder folder_;
  RuntimeBed bed_{cgroups_, folder_.path()};
};

TEST_F(ProcessRuntimeTest, RunsACommandAndTellsHowItEnded) {
  const auto* exited = bed_.Run(ShellPod("u", "echo out; echo err >&2; exit 3"));
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
  EXPECT_EQ(exited->exit.signal, 0);
  EXPECT_FALSE(exited->exit.oom_killed);
  EXPECT_LE(exited->exit.started, exited->exit.finished);
  EXPECT_THAT(bed_.LogOf(bed_.known["u"]), HasSubstr("stdout F out\n"));
  EXPECT_THAT(bed_.LogOf(bed_.known["u"]), HasSubstr("stderr F err\n"));
}

TEST_F(ProcessRuntimeTest, TheContainerSeesItsEnvironmentAndNothingOfTheAgents) {
  ::setenv("JETTISON_SECRET", "x", 1);
  Pod pod = ShellPod("u", "echo \"$A|$JETTISON_SECRET|$HOSTNAME|$0\"; pwd");
  pod.containers[0].env = {{"A", "a"}};
  pod.containers[0].args = {"$(A)$(A)"};
  ASSERT_NE(bed_.Run(pod), nullptr);
  ::unsetenv("JETTISON_SECRET");
  EXPECT_EQ(bed_.LogOf(pod),
            "stdout F a||pod-u|aa\nstdout F " + bed_.paths().Rootfs("u", "main", 0) + "\n");
}

TEST_F(ProcessRuntimeTest, OutputWithoutALastLineFeedIsNotLost) {
  Pod pod = ShellPod("u", "printf 'a\\nb'");
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_EQ(bed_.LogOf(pod), "stdout F a\nstdout P b\n");
}

TEST_F(ProcessRuntimeTest, MuchOutputIsRotatedAndNoneIsLost) {
  bed_.Close();
  ProcessRuntimeOptions options = bed_.Options();
  options.log_max_bytes = 64 << 10;
  options.log_max_files = 3;
  const SystemClock clock;
  auto opened = OpenProcessRuntime(options, cgroups_, clock);
  ASSERT_TRUE(opened);
  bed_.Use(std::move(*opened));
  Pod pod = ShellPod("u", "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done");
  ASSERT_NE(bed_.Run(pod), nullptr);
  const std::string path = bed_.paths().Log(pod, "main", 0);
  EXPECT_THAT(*ReadFile(path), HasSubstr("line 4999\n"));
  EXPECT_GT(ReadFile(path + ".2")->size(), 60U << 10);
  EXPECT_LE(ReadFile(path + ".2")->size(), 64U << 10);
  EXPECT_FALSE(Exists(path + ".3"));
}

TEST_F(ProcessRuntimeTest, AProgramIsLookedUpInThePathOfTheContainer) {
  const std::string bin = folder_.path() + "/bin";
  ASSERT_TRUE(MakeFolders(bin));
  ASSERT_TRUE(WriteFile(bin + "/greet", "#!/bin/sh\necho hello\n"));
  ASSERT_EQ(::chmod((bin + "/greet").c_str(), 0755), 0);
  Pod pod = ShellPod("u", "");
  pod.containers[0].command = {"greet"};
  pod.containers[0].env = {{"PATH", "/nonexistent:" + bin}};
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_EQ(bed_.LogOf(pod), "stdout F hello\n");
}

TEST_F(ProcessRuntimeTest, AProgramThatCannotBeExecutedIsAFailedStart) {
  Pod pod = ShellPod("u", "");
  const struct {
    std::vector<std::string> command;
    std::string working_dir;
    ErrorCode code;
    const char* message;
  } cases[] = {
      {{"no-such-program"}, "", ErrorCode::kNotFound, "cannot execute \"no-such-program\""},
      {{"/etc/passwd"}, "", ErrorCode::kPermissionDenied, "Permission denied"},
      {{"/"}, "", ErrorCode::kPermissionDenied, "cannot execute \"/\""},
      {{""}, "", ErrorCode::kNotFound, "cannot execute \"\""},
      {{"true"}, "/no/such/folder", ErrorCode::kNotFound, "change to folder /no/such/folder"},
      {{}, "", ErrorCode::kInvalidArgument, "has no command"},
      {{std::string("a\0b", 3)}, "", ErrorCode::kInvalidArgument, "NUL"},
  };
  int number = 0;
  for (const auto& [command, working_dir, code, message] : cases) {
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
    EXPECT_THAT(failed->error.message, HasSubstr(message));
    EXPECT_THAT(*NamesIn(bed_.paths().Container(uid, "main")), IsEmpty()) << "nothing may stay";
    EXPECT_THAT(*NamesIn(bed_.paths().ContainerLogs(each, "main")), IsEmpty());
  }
}

TEST_F(ProcessRuntimeTest, AProcessThatCannotJoinItsGroupsNeverRuns) {
  const std::string mark = folder_.path() + "/ran";
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark)));
  cgroups_.FailOn(FakeCgroups::Operation::kJoin, kGroup + "/main",
                  {ErrorCode::kInternal, "no room"});
  bed_.runtime().StartContainer("u", "main", 0, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("into its control groups: no room"));
  EXPECT_FALSE(Exists(mark));
}

TEST_F(ProcessRuntimeTest, StopSendsTermAndKillEndsWhatIgnoresIt) {
  const Fifo up(folder_.path() + "/up");
  ASSERT_TRUE(bed_.Create(
      ShellPod("u", "trap '' TERM; echo up > " + up.path() + "; while :; do sleep 0.01; done")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  ASSERT_EQ(up.Await(), "up\n");
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(1));
  EXPECT_EQ(cgroups_.signals().back().signal, SIGTERM);
  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_EQ(exited->exit.signal, SIGKILL);
}

TEST_F(ProcessRuntimeTest, AStopThatComesWhileItStartsIsNotForgotten) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
}

TEST_F(ProcessRuntimeTest, AKillThatComesWhileItStartsComesBeforeTheProgram) {
  const std::string mark = folder_.path() + "/ran";
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark + "; exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_FALSE(Exists(mark));
}

TEST_F(ProcessRuntimeTest, ThePreStopHookRunsBeforeTerm) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "echo $HOSTNAME > " + mark}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  EXPECT_THAT(cgroups_.signals(), IsEmpty());
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_EQ(*ReadFile(mark), "pod-u\n");
}

TEST_F(ProcessRuntimeTest, AHookThatTakesTooLongDoesNotHoldTermUp) {
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"sleep", "1000"}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  bed_.runtime().StopContainer("u", "main", std::chrono::milliseconds(20));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("did not end within the grace period")));
}

TEST_F(ProcessRuntimeTest, AHookThatFailsIsToldAndTermFollows) {
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"no-such-hook"}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("cannot execute \"no-such-hook\"")));
}

TEST_F(ProcessRuntimeTest, AnOomKillIsToldWithTheExit) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  cgroups_.SetOomKills(kGroup + "/main", 1);
  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
}

TEST_F(ProcessRuntimeTest, GroupsAreLaidOutAndLimited) {
  Pod pod = ShellPod("u", "true");
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("64Mi")}};
  pod.containers[0].resources.requests = {{"cpu", *Quantity::Parse("500m")}};
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup).memory_bytes, 64U << 20);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup + "/main").memory_bytes, 64U << 20);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup + "/main").cpu_shares, 512U);
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/burstable").cpu_shares, 512U);
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/besteffort").cpu_shares, 2U);
  ASSERT_TRUE(bed_.Remove("u"));
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/burstable").cpu_shares, 2U);
}

TEST_F(ProcessRuntimeTest, RemovingAPodLeavesNothing) {
  Pod pod = ShellPod("u", "mkdir -p a/b/c; touch a/f; mkfifo p; ln -s / l; chmod 0 a/b");
  pod.volumes = {{"v", EmptyDirSource{}}};
  ASSERT_NE(bed_.Run(pod), nullptr);
  ASSERT_TRUE(bed_.Remove("u"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_THAT(*NamesIn(bed_.paths().Logs()), IsEmpty());
  EXPECT_FALSE(cgroups_.Exists(kGroup));
}

TEST_F(ProcessRuntimeTest, RemovingAPodEndsWhatStillRuns) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().RemovePod("u");
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
}

TEST_F(ProcessRuntimeTest, AGroupThatIsStillBusyIsRemovedLater) {
  ASSERT_NE(bed_.Run(ShellPod("u", "true")), nullptr);
  cgroups_.FailOn(FakeCgroups::Operation::kRemove, kGroup, {ErrorCode::kUnavailable, "busy"});
  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", std::chrono::milliseconds(50)), nullptr);
  cgroups_.ClearFailures();
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
}

TEST_F(ProcessRuntimeTest, APodIsThereUntilItsDeadProcessesHoldNoProcessIdsAnyMore) {
  ASSERT_NE(bed_.Run(ShellPod("u", "true")), nullptr);
  cgroups_.SetPids(kGroup, 2);
  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", std::chrono::milliseconds(50)), nullptr);
  cgroups_.SetPids(kGroup, 0);
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
}

TEST_F(ProcessRuntimeTest, ADeepTreeIsRemovedToo) {
  std::string path = "d";
  for (int depth = 0; depth < 300; ++depth) path += "/d";
  Pod pod = ShellPod("u", "mkdir -p " + path + "; mkdir d/f d/d/f; touch " + path + "/f");
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_TRUE(bed_.Remove("u"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
}

TEST_F(ProcessRuntimeTest, ForgettingARunTakesItsLogAndLayerAndNoOthers) {
  Pod pod = ShellPod("u", "echo x; touch file");
  ASSERT_NE(bed_.Run(pod), nullptr);
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.runtime().RemoveContainer("u", "main", 0);
  EXPECT_THAT(*NamesIn(bed_.paths().Container("u", "main")), testing::ElementsAre("1"));
  EXPECT_THAT(*NamesIn(bed_.paths().ContainerLogs(pod, "main")), testing::ElementsAre("1.log"));
}

TEST_F(ProcessRuntimeTest, ARunningContainerIsNotForgottenNorStartedTwice) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().RemoveContainer("u", "main", 0);
  EXPECT_TRUE(Exists(bed_.paths().Run("u", "main", 0)));
  bed_.runtime().StartContainer("u", "main", 1, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("runs already"));
}

TEST_F(ProcessRuntimeTest, APodThatCannotBeMadeLeavesNothing) {
  Pod pod = ShellPod("u", "true");
  pod.volumes = {{"v", SecretSource{.secret_name = "s"}}};
  bed_.runtime().CreatePod(pod);
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("secret \"s\" not found"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_FALSE(cgroups_.Exists(kGroup));
}

TEST_F(ProcessRuntimeTest, CommandsAboutWhatIsNotThereAreAnsweredOrIgnored) {
  bed_.runtime().StopContainer("nobody", "main", std::chrono::seconds(1));
  bed_.runtime().KillContainer("nobody", "main");
  bed_.runtime().RemoveContainer("nobody", "main", 0);
  bed_.runtime().StartContainer("nobody", "main", 0, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("nobody");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.code, ErrorCode::kNotFound);
  EXPECT_TRUE(bed_.Remove("nobody"));
}

TEST_F(ProcessRuntimeTest, ASecondAgentIsKeptOutOfTheRoot) {
  const SystemClock clock;
  const auto second = OpenProcessRuntime(bed_.Options(), cgroups_, clock);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another agent works in this folder"));
}

TEST_F(ProcessRuntimeTest, WithoutItsShimItIsNotReady) {
  EXPECT_TRUE(bed_.runtime().Ready());
  bed_.Close();
  ProcessRuntimeOptions options = bed_.Options();
  options.shim = "/nonexistent/jettison-shim";
  const SystemClock clock;
  auto opened = OpenProcessRuntime(options, cgroups_, clock);
  ASSERT_TRUE(opened);
  bed_.Use(std::move(*opened));
  const auto ready = bed_.runtime().Ready();
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().message, HasSubstr("/nonexistent/jettison-shim"));
}

TEST_F(ProcessRuntimeTest, AnAgentThatStartsAgainFindsWhatRunsAndWhatEnded) {
  Pod pod =
      ShellPod("u", "[ -e ../../../once ] || { touch ../../../once; exit 4; }; exec sleep 1000");
  const auto* first = bed_.Run(pod);
  ASSERT_NE(first, nullptr);
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();

  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ((*listed)[0].pod.name, "pod-u");
  const auto& records = (*listed)[0].containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].exit->exit_code, 4);
  EXPECT_EQ(records[1].attempt, 1);
  EXPECT_FALSE(records[1].exit);

  bed_.runtime().KillContainer("u", "main");
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->attempt, 1);
  EXPECT_EQ(exited->exit.exit_code, 137);
}

TEST_F(ProcessRuntimeTest, AnEndThatNobodySawIsFoundLater) {
  const Fifo gate(folder_.path() + "/gate");
  ASSERT_TRUE(bed_.Create(ShellPod("u", "read line < " + gate.path() + "; exit 5")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();
  ASSERT_TRUE(gate.Release());
  bed_.Open();
  auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  const auto& record = (*listed)[0].containers.at(0);
  if (record.exit) {
    EXPECT_EQ(record.exit->exit_code, 5);
  } else {
    const auto* exited = bed_.Await<ContainerExited>("u");
    ASSERT_NE(exited, nullptr);
    EXPECT_EQ(exited->exit.exit_code, 5);
  }
}

TEST_F(ProcessRuntimeTest, ADamagedPodIsEndedAndRemovedAtTheStart) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  const auto processes = *cgroups_.Processes(kGroup);
  ASSERT_EQ(processes.size(), 1U);
  bed_.Close();
  ASSERT_TRUE(WriteFile(bed_.paths().PodFile("u"), "rubbish"));

  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_THAT(*listed, IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("pod.json: not a pod; the pod is ended")));
  EXPECT_FALSE(Exists(bed_.paths().Pod("u")));
  EXPECT_THAT(*NamesIn(bed_.paths().Logs()), IsEmpty());
  EXPECT_NE(::kill(processes[0], 0), 0);
}

TEST_F(ProcessRuntimeTest, AContainerWhoseShimWasKilledIsEndedAndCountsAsKilled) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  const auto text = ReadFile(bed_.paths().Run("u", "main", 0) + "/running");
  ASSERT_TRUE(text);
  const auto record = ParseRunRecord(*text);
  ASSERT_TRUE(record);
  ASSERT_EQ(::kill(record->shim.pid, SIGKILL), 0);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_THAT(cgroups_.kills(), Contains(kGroup + "/main"));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("lost its shim")));
  const auto exit = ParseExitRecord(*ReadFile(bed_.paths().Run("u", "main", 0) + "/exit"));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->outcome, RunOutcome::kLost);
}

}  // namespace
}  // namespace jettison::process
