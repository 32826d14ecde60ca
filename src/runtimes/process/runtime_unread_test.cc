// Pods of an earlier agent of which something cannot be read, or is damaged.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The pod "u" of an agent that has ended. Its only process still runs.
class ProcessRuntimeUnread : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    ProcessRuntimeTest::SetUp();
    pod_ = ShellPod("u", "exec sleep 1000");
    ASSERT_TRUE(bed_.Create(pod_));
    bed_.runtime().StartContainer("u", "main", 0, 0);
    ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
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
    bed_.runtime().CreatePod(PlainPlan(pod_));
    const auto* failed = bed_.Await<PodFailed>("u");
    ASSERT_NE(failed, nullptr);
    EXPECT_THAT(failed->error.message, HasSubstr("an earlier pod of this UID is in its place"));
    EXPECT_EQ(failed->by_others, runs);
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
  const auto* found = bed_.Await<PodFound>("u");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.pod, pod_);
  ASSERT_THAT(found->pod.containers, SizeIs(1));
  EXPECT_FALSE(found->pod.containers[0].exit);
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnread, ARequestThatIsTakenBackLeavesItAsItIs) {
  Hide(bed_.paths().PodFile("u"));
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  bed_.runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr) << "what was requested";
  ExpectItGoesOn();
  Mend(bed_.paths().PodFile("u"));
}

TEST_F(ProcessRuntimeUnread, ADamagedRunOfWhichAProcessLivesGoesOn) {
  ASSERT_TRUE(WriteFile(bed_.paths().Run("u", "main", 0) + "/running", "rubbish"));
  ASSERT_THAT(List(), IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("/running: it is damaged")));
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnread, TheManifestThatADamagedPodCameFromMendsIt) {
  pod_.annotations["kubernetes.io/config.hash"] = "u";
  ASSERT_TRUE(WriteFile(bed_.paths().PodFile("u"), "rubbish"));
  ASSERT_THAT(List(), IsEmpty());
  ExpectItGoesOn();
  bed_.runtime().CreatePod(PlainPlan(pod_));
  const auto* found = bed_.Await<PodFound>("u");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.pod, pod_);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  EXPECT_EQ(*ReadFile(bed_.paths().PodFile("u")), "u") << "this bed writes a pod as its UID";
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnread, APodWhoseRecordIsMissingGoesOnAndTheManifestMendsIt) {
  pod_.annotations["kubernetes.io/config.hash"] = "u";
  ASSERT_EQ(::unlink(bed_.paths().PodFile("u").c_str()), 0);
  ASSERT_THAT(List(), IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("pod.json is missing")));
  ExpectItGoesOn();
  bed_.runtime().CreatePod(PlainPlan(pod_));
  const auto* found = bed_.Await<PodFound>("u");
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  EXPECT_EQ(*ReadFile(bed_.paths().PodFile("u")), "u");
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnread, APodWhoseRecordIsMissingAndOfWhichNothingLivesKeepsItsFiles) {
  ::kill(process_, SIGKILL);
  cgroups_.ProcessExited(process_);
  ASSERT_EQ(::unlink(bed_.paths().PodFile("u").c_str()), 0);
  EXPECT_THAT(List(), IsEmpty());
  ExpectRefusal();
  bed_.runtime().CreatePod(PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodReady>("u"), nullptr);
  const std::string quarantine = bed_.paths().root() + "/quarantine";
  ASSERT_THAT(*NamesIn(quarantine), SizeIs(1));
  EXPECT_EQ(*ReadFile(quarantine + "/" + NamesIn(quarantine)->front() + "/volumes/data"), "dear");
}

TEST_F(ProcessRuntimeUnread, AnInterruptedRemovalIsGoneOnWith) {
  List();
  bed_.runtime().RemovePod("u");
  while (Exists(bed_.paths().PodFile("u"))) (void)bed_.runtime().TakeEvents();
  bed_.Close();
  EXPECT_THAT(List(), IsEmpty());
  const auto left = NamesIn(bed_.paths().Pods());
  for (const std::string& name : *left) {
    EXPECT_TRUE(bed_.AwaitGone(bed_.paths().Pods() + "/" + name));
  }
}

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

TEST_F(ProcessRuntimeUnread, FilesAreSetAsideWhenTheDiskAnswers) {
  const auto disk = std::make_shared<FakeDiskThread>();
  bed_.disk_thread = disk;
  ASSERT_TRUE(WriteFile(bed_.paths().PodFile("u"), "rubbish"));
  cgroups_.ProcessExited(process_);
  ::kill(process_, SIGKILL);
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  EXPECT_EQ(disk->Answer(), 1) << "it is read";
  ExpectRefusal();
  EXPECT_EQ(ReadFile(bed_.paths().Volumes("u") + "/data").value_or("gone"), "dear");
  EXPECT_EQ(disk->Answer(), 1) << "the files are moved once";
  (void)bed_.runtime().TakeEvents();
  disk->refuses = true;  // from here on the disk is fast
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty()) << "nothing is made before it is requested";
  bed_.runtime().CreatePod(PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodReady>("u"), nullptr);
  const std::string quarantine = bed_.paths().root() + "/quarantine";
  ASSERT_THAT(*NamesIn(quarantine), SizeIs(1));
  EXPECT_EQ(*ReadFile(quarantine + "/" + NamesIn(quarantine)->front() + "/volumes/data"), "dear");
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

TEST_F(ProcessRuntimeUnread, AManifestStandsInForARecordThatTheDiskDoesNotGive) {
  pod_.annotations["kubernetes.io/config.hash"] = "u";
  const auto disk = std::make_shared<FakeDiskThread>();
  bed_.disk_thread = disk;
  Hide(bed_.paths().PodFile("u"));
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  ExpectRefusal();
  EXPECT_EQ(disk->Answer(), 1) << "it is read once for all requests, and not on the loop";
  const auto* found = bed_.Await<PodFound>("u");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.pod, pod_);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  ExpectItGoesOn();
  disk->refuses = true;  // from here on the disk is fast
  (void)disk->Answer();
  EXPECT_EQ(*ReadFile(bed_.paths().PodFile("u")), "u") << "it is written anew";
}

TEST_F(ProcessRuntimeUnread, NobodyEndsIt) {
  Hide(bed_.paths().PodFile("u"));
  ASSERT_THAT(List(), IsEmpty());
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(1));
  bed_.runtime().KillContainer("u", "main");
  ExpectItGoesOn();
  Mend(bed_.paths().PodFile("u"));
}

TEST_F(ProcessRuntimeUnread, NothingIsEndedOrDeletedWhileDescriptorsRunOut) {
  bed_.Open();
  {
    const kernel::FewDescriptors none(0);
    EXPECT_FALSE(bed_.runtime().List());
    EXPECT_THAT(bed_.runtime().Recall(), IsEmpty());
  }
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_THAT(*listed, SizeIs(1));
  ExpectItGoesOn();
}

// For example, while another version of the program is being installed.
TEST_F(ProcessRuntimeUnread, WithoutItsShimTheRuntimeStillFindsWhatRuns) {
  ProcessRuntimeOptions options = bed_.Options();
  options.shim = "/nonexistent/jettison-shim";
  auto opened = OpenProcessRuntime(options, cgroups_, cgroups_, bed_.clock());
  ASSERT_TRUE(opened);
  bed_.Use(std::move(*opened));
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("/nonexistent/jettison-shim cannot be run")));
  ExpectItGoesOn();
  bed_.runtime().StartContainer("u", "other", 0, 0);
  EXPECT_NE(bed_.Await<ContainerStartFailed>("u"), nullptr);
  bed_.runtime().KillContainer("u", "main");
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.Close();
  bed_.Open();
}

// For example, the root is not mounted yet, or another agent has made the group.
TEST_F(ProcessRuntimeUnread, APodIsNotMadeInAGroupInWhichSomethingRuns) {
  const TemporaryFolder other;
  RuntimeBed bed(cgroups_, other.path());
  bed.Open();
  EXPECT_THAT(*bed.runtime().List(), IsEmpty());
  bed.runtime().CreatePod(PlainPlan(pod_));
  const auto* failed = bed.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("processes run in " + kGroup));
  EXPECT_TRUE(failed->by_others);
  EXPECT_FALSE(Exists(bed.paths().Pod("u")));
  ExpectItGoesOn();
  bed_.Open();
  EXPECT_THAT(*bed_.runtime().List(), SizeIs(1));
}

}  // namespace
}  // namespace jettison::process
