#include <fmt/format.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <string>

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
