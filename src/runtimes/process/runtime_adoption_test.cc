#include <fmt/format.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "kernel/processes/processes.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_disk_thread.h"
#include "ports/fakes/scarcity.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/runs/testing/fifo.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using namespace testing;

using ProcessRuntimeAdoption = ProcessRuntimeTest;

TEST_F(ProcessRuntimeAdoption, AnAgentThatStartsAgainFindsWhatRunsAndWhatEnded) {
  Pod pod =
      ShellPod("u", "[ -e ../../../once ] || { touch ../../../once; exit 4; }; exec sleep 1000");
  const auto* first = bed_.Run(pod);
  ASSERT_NE(first, nullptr);
  ASSERT_TRUE(bed_.Start("u", "main", 1));
  bed_.Close();

  bed_.Open();
  const auto listed = bed_.runtime().List().value();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].pod.name, "pod-u");
  const auto& records = listed[0].containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].exit->exit_code, 4);
  EXPECT_EQ(records[1].attempt, 1);
  EXPECT_FALSE(records[1].exit);

  bed_.runtime().KillContainer("u", "main");
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.attempt, 1);
  EXPECT_EQ(exited.exit.exit_code, 137);
}

TEST_F(ProcessRuntimeAdoption, OutputAndTheEndThatNobodySawAreFoundLater) {
  const Fifo gate(folder_.path() + "/gate");
  ASSERT_TRUE(bed_.Start(ShellPod("u", "read line < " + gate.path() + "; echo late; exit 5")));
  bed_.Close();
  ASSERT_TRUE(gate.Release());
  bed_.Open();
  const auto listed = bed_.runtime().List().value();
  auto exit = listed[0].containers.at(0).exit;
  if (!exit) exit = bed_.Need<ContainerExited>("u").exit;
  EXPECT_EQ(exit->exit_code, 5);
  EXPECT_EQ(bed_.LogOf(bed_.known["u"]), "stdout F late\n");
}

// Shims write real time, which differs from the agent's time once the clock has been set.
TEST_F(ProcessRuntimeAdoption, AnEndIsAsLongAgoAsItIsHoweverTheWallClockIsSet) {
  for (const auto step : {std::chrono::hours(1), std::chrono::hours(-1)}) {
    bed_.clock.wall_ahead = step;
    const std::string uid = step > std::chrono::hours(0) ? "ahead" : "back";
    const Instant before = bed_.clock.Now();
    const auto* exited = bed_.Run(ShellPod(uid, "exit 3"));
    ASSERT_NE(exited, nullptr);
    EXPECT_GE(exited->exit.started, before);
    EXPECT_GE(exited->exit.finished, exited->exit.started);
    EXPECT_LE(exited->exit.finished, bed_.clock.Now());
  }
  bed_.Close();
  bed_.clock.wall_ahead = std::chrono::hours(-1);  // set back while no agent ran
  bed_.Open();
  const auto listed = bed_.runtime().List().value();
  ASSERT_THAT(listed, testing::SizeIs(2));
  for (const RuntimePod& pod : listed) {
    const ContainerRecord& record = pod.containers.at(0);
    EXPECT_LE(record.created, record.exit->started);
    EXPECT_LE(record.exit->finished, bed_.clock.Now());
    EXPECT_GE(record.exit->finished, bed_.clock.Now() - std::chrono::minutes(1));
  }
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
  const auto listed = bed_.runtime().List().value();
  EXPECT_TRUE(listed.empty());
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
  ASSERT_TRUE(bed_.Start(pod));
  bed_.Close();
  const auto record =
      ParseRunRecord(*ReadFile(bed_.paths().Run("u", "main", 0) + "/running")).value();
  const std::string file = bed_.paths().PodFile("u");
  ASSERT_EQ(std::rename(file.c_str(), (file + ".gone").c_str()), 0);
  ASSERT_EQ(::kill(record.shim.pid, SIGSTOP), 0);

  bed_.Open();
  const auto listed = bed_.runtime().List().value();
  EXPECT_TRUE(listed.empty());
  EXPECT_THAT(cgroups_.kills(), Contains(kGroup));
  const auto& refused = bed_.CreateFails(pod);
  EXPECT_THAT(refused.error.message, HasSubstr("still being removed"));
  ASSERT_NE(bed_.Run(ShellPod("other", "true")), nullptr);
  EXPECT_TRUE(bed_.CreateInTheEnd(pod));
  EXPECT_FALSE(Exists(bed_.paths().Run("u", "main", 0)));
}

TEST_F(ProcessRuntimeAdoption, AContainerWhoseShimWasKilledIsEndedAndCountsAsKilled) {
  ASSERT_TRUE(bed_.Start(ShellPod("u", "exec sleep 1000")));
  const auto text = ReadFile(bed_.paths().Run("u", "main", 0) + "/running").value();
  const auto record = ParseRunRecord(text).value();
  ASSERT_EQ(::kill(record.shim.pid, SIGKILL), 0);
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
  EXPECT_THAT(cgroups_.kills(), Contains(kGroup + "/main"));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("lost its shim")));
  const auto exit = ParseExitRecord(*ReadFile(bed_.paths().Run("u", "main", 0) + "/exit")).value();
  EXPECT_EQ(exit.outcome, RunOutcome::kLost);
}

// Pods of an earlier agent of which something cannot be read, or is damaged.

// The pod "u" of an agent that has ended. Its only process still runs.
class ProcessRuntimeUnread : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    ProcessRuntimeTest::SetUp();
    pod_ = ShellPod("u", "exec sleep 1000");
    ASSERT_TRUE(bed_.Start(pod_));
    process_ = cgroups_.Processes(kGroup)->at(0);
    ASSERT_TRUE(WriteFile(bed_.paths().Volumes("u") + "/data", "dear"));
    bed_.Close();
  }
  void TearDown() override {
    ::kill(process_, SIGKILL);
    cgroups_.ProcessExited(process_);
    ProcessRuntimeTest::TearDown();
  }
  // Makes the file unreadable until it is repaired: a link is not followed.
  static void Hide(const std::string& path) {
    ASSERT_EQ(std::rename(path.c_str(), (path + ".away").c_str()), 0);
    ASSERT_EQ(::symlink("away", path.c_str()), 0);
  }
  static void Mend(const std::string& path) {
    ASSERT_EQ(std::rename((path + ".away").c_str(), path.c_str()), 0);
  }
  std::vector<RuntimePod> List() {
    bed_.Open();
    auto listed = bed_.runtime().List();
    EXPECT_TRUE(listed);
    return listed.value_or(std::vector<RuntimePod>{});
  }
  // A request for another pod of its UID is refused, and nobody waits for the disk.
  void ExpectRefusal() {
    const bool runs = !cgroups_.Processes(kGroup)->empty();
    const auto& failed = bed_.CreateFails(pod_);
    EXPECT_THAT(failed.error.message, HasSubstr("an earlier pod of this UID is in its place"));
    EXPECT_EQ(failed.by_others, runs);
  }
  void ExpectItGoesOn() {
    EXPECT_EQ(::kill(process_, 0), 0);
    EXPECT_THAT(cgroups_.signals(), IsEmpty());
    EXPECT_EQ(*ReadFile(bed_.paths().Volumes("u") + "/data"), "dear");
  }

  Pod pod_;
  pid_t process_ = 0;
};

TEST_F(ProcessRuntimeUnread, APodWhoseRecordCannotBeReadGoesOnAndIsTakenOverWhenItIsRequested) {
  Hide(bed_.paths().PodFile("u"));
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_THAT(bed_.logged,
              Contains(AllOf(HasSubstr("default/pod-u of an earlier agent cannot be taken"),
                             HasSubstr(kGroup), HasSubstr(bed_.paths().Pod("u")))))
      << "the folder of logs has its name";
  ExpectRefusal();
  ExpectItGoesOn();

  Mend(bed_.paths().PodFile("u"));
  bed_.runtime().CreatePod(PlainPlan(pod_));
  const auto& found = bed_.Need<PodFound>("u");
  EXPECT_EQ(found.pod.pod, pod_);
  ASSERT_THAT(found.pod.containers, SizeIs(1));
  EXPECT_FALSE(found.pod.containers[0].exit);
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnread, ADamagedRunOfWhichAProcessLivesGoesOn) {
  ASSERT_TRUE(WriteFile(bed_.paths().Run("u", "main", 0) + "/running", "rubbish"));
  ASSERT_THAT(List(), IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("/running: it is damaged")));
  ExpectItGoesOn();
}

class ProcessRuntimeMended : public ProcessRuntimeUnread,
                             public testing::WithParamInterface<const char*> {};

TEST_P(ProcessRuntimeMended, TheManifestThatThePodCameFromMendsADamagedOrMissingRecord) {
  pod_.annotations["kubernetes.io/config.hash"] = "u";
  const std::string record = bed_.paths().PodFile("u");
  ASSERT_EQ(::unlink(record.c_str()), 0);
  if (GetParam() != nullptr) ASSERT_TRUE(WriteFile(record, GetParam()));
  ASSERT_THAT(List(), IsEmpty());
  ExpectItGoesOn();
  bed_.runtime().CreatePod(PlainPlan(pod_));
  const auto& found = bed_.Need<PodFound>("u");
  EXPECT_EQ(found.pod.pod, pod_);
  EXPECT_FALSE(found.pod.containers.at(0).exit);
  EXPECT_EQ(*ReadFile(record), "u") << "this bed writes a pod as its UID";
  ExpectItGoesOn();
}

INSTANTIATE_TEST_SUITE_P(Records, ProcessRuntimeMended, Values("rubbish", nullptr));

TEST_F(ProcessRuntimeUnread, AnotherPodOfADamagedOnesUidWaitsUntilThatHasEnded) {
  ASSERT_TRUE(WriteFile(bed_.paths().PodFile("u"), "rubbish"));
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  ExpectItGoesOn();

  cgroups_.ProcessExited(process_);
  ::kill(process_, SIGKILL);
  ExpectRefusal();
  bed_.runtime().CreatePod(PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodReady>("u"), nullptr);
  const std::string quarantine = bed_.paths().root() + "/quarantine";
  ASSERT_THAT(*NamesIn(quarantine), SizeIs(1));
  const std::string place = quarantine + "/" + NamesIn(quarantine)->front();
  EXPECT_EQ(*ReadFile(place + "/volumes/data"), "dear");
  EXPECT_TRUE(Exists(place + "/logs/default_pod-u_u/main/0.log"));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("all its files are in " + place)));
}

TEST_F(ProcessRuntimeUnread, WhatMayBeReadableAMomentLaterIsNotSetAside) {
  Hide(bed_.paths().PodFile("u"));
  cgroups_.ProcessExited(process_);
  ::kill(process_, SIGKILL);
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  ExpectRefusal();
  Mend(bed_.paths().PodFile("u"));
  bed_.runtime().CreatePod(PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodFound>("u"), nullptr);
  EXPECT_EQ(*ReadFile(bed_.paths().Volumes("u") + "/data"), "dear");
}

TEST_F(ProcessRuntimeUnread, NothingIsEndedOrDeletedWhileDescriptorsRunOut) {
  bed_.Open();
  {
    const ScarceDescriptors none;
    EXPECT_FALSE(bed_.runtime().List());
    EXPECT_THAT(bed_.runtime().Recall(), IsEmpty());
  }
  const auto listed = bed_.runtime().List().value();
  ASSERT_THAT(listed, SizeIs(1));
  ExpectItGoesOn();
}

// For example, while another version of the program is being installed.
TEST_F(ProcessRuntimeUnread, WithoutItsShimTheRuntimeStillFindsWhatRuns) {
  bed_.shim = "/nonexistent/jettison-shim";
  ASSERT_THAT(List(), SizeIs(1));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("/nonexistent/jettison-shim cannot be run")));
  ExpectItGoesOn();
  bed_.runtime().StartContainer("u", "other", 0, 0);
  EXPECT_NE(bed_.Await<ContainerStartFailed>("u"), nullptr);
}

// For example, the root is not mounted yet, or another agent has made the group.
TEST_F(ProcessRuntimeUnread, APodIsNotMadeInAGroupInWhichSomethingRuns) {
  const TemporaryFolder other;
  RuntimeBed bed(cgroups_, other.path());
  bed.Open();
  EXPECT_THAT(*bed.runtime().List(), IsEmpty());
  const auto& failed = bed.CreateFails(pod_);
  EXPECT_THAT(failed.error.message, HasSubstr("processes run in " + kGroup));
  EXPECT_TRUE(failed.by_others);
  EXPECT_FALSE(Exists(bed.paths().Pod("u")));
  ExpectItGoesOn();
  bed_.Open();
  EXPECT_THAT(*bed_.runtime().List(), SizeIs(1));
}

}  // namespace
}  // namespace jettison::process
