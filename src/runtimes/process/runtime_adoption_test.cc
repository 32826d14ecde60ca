#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "kernel/processes/processes.h"
#include "ports/fakes/child_process.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/runs/testing/fifo.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::Contains;
using testing::HasSubstr;

using ProcessRuntimeAdoption = ProcessRuntimeTest;

TEST_F(ProcessRuntimeAdoption, AnAgentThatStartsAgainFindsWhatRunsAndWhatEnded) {
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

// All runs of a container have one group.
TEST_F(ProcessRuntimeAdoption, AnEarlierRunOfWhichTheEndIsNotKnownCostsNoLaterOne) {
  Pod pod =
      ShellPod("u", "[ -e ../../../once ] || { touch ../../../once; exit 4; }; exec sleep 1000");
  ASSERT_NE(bed_.Run(pod), nullptr);
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();
  ASSERT_EQ(::unlink((bed_.paths().Run("u", "main", 0) + "/exit").c_str()), 0);
  const auto kills_before = cgroups_.kills();

  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  const auto& records = (*listed)[0].containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].exit->exit_code, 137) << "it is lost";
  EXPECT_FALSE(records[1].exit);
  EXPECT_EQ(cgroups_.kills(), kills_before);
}

TEST_F(ProcessRuntimeAdoption, ARunOfBeforeTheMachineWasRestartedIsToldFromALaterOne) {
  ASSERT_NE(bed_.Run(ShellPod("u", "true")), nullptr);
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.Close();
  const std::string path = bed_.paths().Run("u", "main", 0) + "/running";
  const std::string record = *ReadFile(path);
  const std::size_t line = record.find("\nboot ") + 1;
  ASSERT_TRUE(WriteFile(
      path, record.substr(0, line) + "boot another" + record.substr(record.find('\n', line))));
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  const auto& records = listed->at(0).containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_TRUE(records[0].of_earlier_life);
  EXPECT_FALSE(records[1].of_earlier_life);
}

TEST_F(ProcessRuntimeAdoption, AnEndThatNobodySawIsFoundLater) {
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

// Shims write real time, which differs from the agent's time once the clock has been set.
TEST_F(ProcessRuntimeAdoption, AnEndIsAsLongAgoAsItIsHoweverTheWallClockIsSet) {
  for (const auto step : {std::chrono::hours(1), std::chrono::hours(-1)}) {
    bed_.clock().wall_ahead = step;
    const std::string uid = step > std::chrono::hours(0) ? "ahead" : "back";
    const Instant before = bed_.clock().Now();
    const auto* exited = bed_.Run(ShellPod(uid, "exit 3"));
    ASSERT_NE(exited, nullptr);
    EXPECT_GE(exited->exit.started, before);
    EXPECT_GE(exited->exit.finished, exited->exit.started);
    EXPECT_LE(exited->exit.finished, bed_.clock().Now());
  }
  bed_.Close();
  bed_.clock().wall_ahead = std::chrono::hours(-1);  // set back while no agent ran
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_THAT(*listed, testing::SizeIs(2));
  for (const RuntimePod& pod : *listed) {
    const ContainerRecord& record = pod.containers.at(0);
    EXPECT_LE(record.created, record.exit->started);
    EXPECT_LE(record.exit->finished, bed_.clock().Now());
    EXPECT_GE(record.exit->finished, bed_.clock().Now() - std::chrono::minutes(1));
  }
}

// The id of an ended process may belong to another process.
TEST_F(ProcessRuntimeAdoption, APreStopHookIsNotRunBesideAProcessThatIsNotTheContainers) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "echo ran > " + mark}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();
  const ChildProcess stranger([](const auto&) {});
  const std::string path = bed_.paths().Run("u", "main", 0) + "/running";
  const std::string record = *ReadFile(path);
  const std::size_t line = record.find("\ncontainer ") + 1;
  ASSERT_TRUE(WriteFile(path, record.substr(0, line) + fmt::format("container {}", stranger.pid()) +
                                  record.substr(record.find('\n', line))));

  bed_.Open();
  ASSERT_TRUE(bed_.runtime().List());
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_FALSE(Exists(mark));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("is not run: its process has ended")));
}

TEST_F(ProcessRuntimeAdoption, APreStopHookRunsInAContainerThatWasAdopted) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "echo ran > " + mark}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();
  bed_.Open();
  ASSERT_TRUE(bed_.runtime().List());
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_TRUE(Exists(mark));
}

TEST_F(ProcessRuntimeAdoption, WhatIsNoPodStays) {
  bed_.Close();
  const std::string pods = bed_.paths().Pods();
  ASSERT_TRUE(MakeFolders(pods + "/backup"));
  ASSERT_TRUE(WriteFile(pods + "/backup/data", "x"));
  ASSERT_TRUE(WriteFile(pods + "/notes", "x"));
  ASSERT_TRUE(MakeFolders(pods + "/left/volumes/v"));
  ASSERT_TRUE(MakeFolders(pods + "/left/.deep.7.0"));  // a removal was interrupted
  ASSERT_TRUE(MakeFolders(pods + "/left/containers/main/0"));
  ASSERT_TRUE(WriteFile(pods + "/left/pod.json.gone", ""));
  ASSERT_TRUE(MakeFolders(pods + "/begun/volumes/v"));  // a creation was interrupted
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->empty());
  EXPECT_TRUE(bed_.AwaitGone(pods + "/left"));
  EXPECT_TRUE(bed_.AwaitGone(pods + "/begun"));
  EXPECT_TRUE(Exists(pods + "/backup/data"));
  EXPECT_TRUE(Exists(pods + "/notes"));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr(pods + "/backup is no pod of an agent")));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("pod left: what an earlier agent left")));
}

// A shim that is stopped stands for one that waits for a disk.
TEST_F(ProcessRuntimeAdoption, ALeftoverWhoseShimHangsIsRemovedAndThePodIsMadeAnew) {
  const Pod pod = ShellPod("u", "exec sleep 1000");
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Close();
  const auto record = ParseRunRecord(*ReadFile(bed_.paths().Run("u", "main", 0) + "/running"));
  ASSERT_TRUE(record);
  const std::string file = bed_.paths().PodFile("u");
  ASSERT_EQ(std::rename(file.c_str(), (file + ".gone").c_str()), 0);
  ASSERT_EQ(::kill(record->shim.pid, SIGSTOP), 0);

  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->empty());
  EXPECT_THAT(cgroups_.kills(), Contains(kGroup));
  bed_.runtime().CreatePod(PlainPlan(pod));
  const auto* refused = bed_.Await<PodFailed>("u");
  ASSERT_NE(refused, nullptr);
  EXPECT_THAT(refused->error.message, HasSubstr("still being removed"));
  ASSERT_NE(bed_.Run(ShellPod("other", "true")), nullptr);
  bool is_made = false;
  for (int i = 0; i < 100 && !is_made; ++i) {
    bed_.runtime().CreatePod(PlainPlan(pod));
    is_made = bed_.Await<PodReady>("u", std::chrono::milliseconds(100)) != nullptr;
  }
  EXPECT_TRUE(is_made);
  EXPECT_FALSE(Exists(bed_.paths().Run("u", "main", 0)));
}

TEST_F(ProcessRuntimeAdoption, AContainerWhoseShimWasKilledIsEndedAndCountsAsKilled) {
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

// A process that is traced to its end stands for a shim that waits for a disk: a kill does not end
// it before the tracer lets it go.
TEST_F(ProcessRuntimeAdoption, ShimsThatDoNotEndAreWaitedForTogether) {
  const std::vector<std::string> uids = {"u", "v", "w"};
  for (const std::string& uid : uids) ASSERT_TRUE(bed_.Create(ShellPod(uid, "true")));
  bed_.Close();
  std::vector<std::unique_ptr<ChildProcess>> shims;
  for (const std::string& uid : uids) {
    shims.push_back(std::make_unique<ChildProcess>([](const auto&) {}));
    const pid_t pid = shims.back()->pid();
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXIT) != 0) {
      GTEST_SKIP() << "no process can be traced here";
    }
    const auto start = StartOf(ReadFile(fmt::format("/proc/{}/stat", pid)).value_or(""));
    ASSERT_TRUE(start);
    const std::string run = bed_.paths().Run(uid, "main", 0);
    ASSERT_TRUE(MakeFolders(run));
    ASSERT_TRUE(WriteFile(run + "/starting",
                          fmt::format("jettison run 1\nshim {} {}\ncontainer 13\nboot {}\n"
                                      "created 99\noom_kills 0\n",
                                      pid, *start, *ReadBootId())));
  }
  bed_.Open();
  const auto begin = std::chrono::steady_clock::now();
  const auto listed = bed_.runtime().List();
  const auto took = std::chrono::steady_clock::now() - begin;
  for (const auto& shim : shims) EXPECT_EQ(::ptrace(PTRACE_CONT, shim->pid(), nullptr, nullptr), 0);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->size(), 3U);
  EXPECT_GE(took, std::chrono::seconds(2)) << "they did not end";
  EXPECT_LT(took, std::chrono::seconds(4));
}

TEST_F(ProcessRuntimeAdoption, HowAContainerEndedIsReadAgainWhereItCannotBeReadForAMoment) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  const std::string run = bed_.paths().Run("u", "main", 0);
  const auto record = ParseRunRecord(ReadFile(run + "/running").value_or(""));
  ASSERT_TRUE(record);
  ASSERT_EQ(::mkdir((run + "/exit").c_str(), 0700), 0);  // reading it fails with EISDIR
  ASSERT_EQ(::kill(record->shim.pid, SIGKILL), 0);
  EXPECT_EQ(bed_.Await<ContainerExited>("u", std::chrono::milliseconds(300)), nullptr);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("its exit status cannot be read")));
  ASSERT_EQ(::rmdir((run + "/exit").c_str()), 0);
  ASSERT_TRUE(WriteExitRecord(run, {.outcome = RunOutcome::kExited, .code = 3}));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
}

TEST_F(ProcessRuntimeAdoption, APodOfAContainerRuntimeKeepsTheAgentFromStartingAndGoesOn) {
  constexpr pid_t kSomeProcess = 1 << 30;  // no process has it
  bed_.Close();
  const std::string data = bed_.paths().Volume("c", "v") + "/data";
  ASSERT_TRUE(MakeFolders(bed_.paths().Volume("c", "v")));
  ASSERT_TRUE(WriteFile(data, "dear"));
  ASSERT_TRUE(WriteFile(bed_.paths().Pod("c") + "/record", "sandbox s"));
  ASSERT_TRUE(cgroups_.Create("kubepods/burstable/podc", {}));
  ASSERT_TRUE(cgroups_.Join("kubepods/burstable/podc", kSomeProcess));
  const auto opened = OpenProcessRuntime(bed_.Options(), cgroups_, cgroups_, bed_.clock());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("created with `runtime: cri`"));
  EXPECT_THAT(cgroups_.signals(), testing::IsEmpty());
  EXPECT_EQ(*ReadFile(data), "dear");
}

}  // namespace
}  // namespace jettison::process
