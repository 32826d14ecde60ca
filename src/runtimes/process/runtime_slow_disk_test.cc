// A disk that takes its time: the caller waits for nothing, and steps keep their order.
#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

class ProcessRuntimeSlowDisk : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    bed_.disk_thread = disk_;
    ProcessRuntimeTest::SetUp();
  }
  // From here on the disk is fast.
  void TearDown() override {
    disk_->refuses = true;
    (void)disk_->Answer();
    ProcessRuntimeTest::TearDown();
  }
  void Create(const Pod& pod) {
    bed_.known[pod.uid] = pod;
    bed_.runtime().CreatePod(kernel::PlainPlan(pod));
  }
  // The event, which comes while the disk answers.
  template <typename Event>
  [[nodiscard]] const Event* AwaitWithDisk(const std::string& uid) {
    for (int i = 0; i < 400; ++i) {
      (void)disk_->Answer();
      if (const auto* event = bed_.Await<Event>(uid, milliseconds(5))) return event;
    }
    return nullptr;
  }

  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
};

TEST_F(ProcessRuntimeSlowDisk, APodIsReadyWhenItsFilesAndItsRecordAreThere) {
  Create(ShellPod("u", "true"));
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(10)), nullptr);
  EXPECT_FALSE(Exists(bed_.paths().Pod("u")));
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(10)), nullptr);
  EXPECT_TRUE(Exists(bed_.paths().Pod("u")));
  EXPECT_FALSE(Exists(bed_.paths().PodFile("u"))) << "an agent that starts now removes the folder";
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<PodReady>("u"), nullptr);
  EXPECT_TRUE(Exists(bed_.paths().PodFile("u")));
}

TEST_F(ProcessRuntimeSlowDisk, APathOfTheHostThatAVolumeAsksForIsMadeBeside) {
  Pod pod = ShellPod("u", "true");
  const std::string path = folder_.path() + "/host/data";
  pod.volumes = {{"data", HostPathSource{.path = path, .type = "DirectoryOrCreate"}}};
  Create(pod);
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(10)), nullptr);
  EXPECT_FALSE(Exists(path));
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_TRUE(Exists(path));
  EXPECT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
}

TEST_F(ProcessRuntimeSlowDisk, APodThatEndsBeforeItsVolumesAreThereGetsNone) {
  Pod pod = ShellPod("u", "true");
  const std::string path = folder_.path() + "/host/data";
  pod.volumes = {{"data", HostPathSource{.path = path, .type = "DirectoryOrCreate"}}};
  Create(pod);
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(10)), nullptr);
  bed_.runtime().RemovePod("u");
  EXPECT_NE(AwaitWithDisk<PodRemoved>("u"), nullptr);
  EXPECT_FALSE(Exists(path));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
}

TEST_F(ProcessRuntimeSlowDisk, ARunStartsWhenItsFolderIsThere) {
  Create(ShellPod("u", "true"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  bed_.runtime().StartContainer("u", "main", 0, 0);
  EXPECT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(10)), nullptr);
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
}

TEST_F(ProcessRuntimeSlowDisk, ARunThatIsKilledBeforeItsFolderIsThereNeverStarts) {
  Create(ShellPod("u", "true"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  bed_.runtime().StartContainer("u", "main", 0, 0);
  bed_.runtime().KillContainer("u", "main");
  EXPECT_NE(AwaitWithDisk<ContainerStartFailed>("u"), nullptr);
  (void)disk_->Answer();
  EXPECT_FALSE(Exists(bed_.paths().Run("u", "main", 0)));
}

TEST_F(ProcessRuntimeSlowDisk, APodThatEndsWhileItsFilesAreBeingMadeLeavesNothing) {
  Create(ShellPod("u", "true"));
  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(20)), nullptr);
  EXPECT_NE(AwaitWithDisk<PodRemoved>("u"), nullptr);
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
}

// The pod "other" mounts at one of the places.
TEST_F(ProcessRuntimeSlowDisk, MountPointsGoWhenTheDiskAnswersAndOnesInUseChangeHands) {
  const std::string host = folder_.path() + "/host";
  ASSERT_TRUE(MakeFolders(host + "/a"));
  ASSERT_TRUE(MakeFolders(host + "/b"));
  Create(ShellPod("u", "true"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  Pod other = ShellPod("other", "true");
  other.volumes = {{"data", HostPathSource{.path = host, .type = ""}}};
  other.containers[0].volume_mounts = {{.name = "data", .mount_path = host + "/b"}};
  Create(other);
  ASSERT_NE(AwaitWithDisk<PodReady>("other"), nullptr);
  ASSERT_TRUE(WriteFile(bed_.paths().MountPoints("u"), "d " + host + "/a\nd " + host + "/b\n"));

  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(20)), nullptr);
  EXPECT_EQ(disk_->Answer(), 2) << "the mark and the notes";
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(20)), nullptr);
  EXPECT_TRUE(Exists(host + "/a"));
  EXPECT_FALSE(Exists(bed_.paths().MountPoints("other")));
  EXPECT_TRUE(Exists(bed_.paths().MountPoints("u"))) << "the next agent continues";
  EXPECT_EQ(disk_->Answer(), 2) << "a note and a place";
  EXPECT_FALSE(Exists(host + "/a"));
  EXPECT_EQ(*ReadFile(bed_.paths().MountPoints("other")), "d " + host + "/b\n");
  EXPECT_TRUE(Exists(host + "/b"));
  EXPECT_NE(AwaitWithDisk<PodRemoved>("u"), nullptr);
}

TEST_F(ProcessRuntimeSlowDisk, AContainerWithoutShimHasEndedBeforeThatIsNoted) {
  Create(ShellPod("u", "exec sleep 1000"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(AwaitWithDisk<ContainerStarted>("u"), nullptr);
  const std::string run = bed_.paths().Run("u", "main", 0);
  const auto record = ParseRunRecord(ReadFile(run + "/running").value_or(""));
  ASSERT_TRUE(record);
  ASSERT_EQ(::kill(record->shim.pid, SIGKILL), 0);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_FALSE(Exists(run + "/exit"));

  // The agent is killed here: nobody does what its disk has not done. The next one finds the same.
  disk_ = std::make_shared<FakeDiskThread>();
  bed_.disk_thread = disk_;
  bed_.Close();
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  const auto& records = listed->at(0).containers;
  ASSERT_EQ(records.size(), 1U);
  ASSERT_TRUE(records[0].exit);
  EXPECT_EQ(records[0].exit->exit_code, 137);
  EXPECT_FALSE(Exists(run + "/exit"));
  (void)disk_->Answer();
  const auto noted = ParseExitRecord(ReadFile(run + "/exit").value_or(""));
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->outcome, RunOutcome::kLost);
}

TEST_F(ProcessRuntimeSlowDisk, ARunThatNeverRanIsForgottenBeforeItIsDeleted) {
  Create(ShellPod("u", "true"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  bed_.Close();
  const std::string run = bed_.paths().Run("u", "main", 0);
  ASSERT_TRUE(MakeFolders(run + "/rootfs"));
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_THAT(listed->at(0).containers, IsEmpty());
  EXPECT_TRUE(Exists(run));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  EXPECT_NE(AwaitWithDisk<ContainerStarted>("u"), nullptr) << "the folder makes way for the run";
}

TEST_F(ProcessRuntimeSlowDisk, APodWhoseFilesCannotBeMadeFails) {
  ASSERT_TRUE(WriteFile(bed_.paths().Pods() + "/u", "in the way"));
  Create(ShellPod("u", "true"));
  EXPECT_NE(AwaitWithDisk<PodFailed>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::process
