// Pods of an earlier agent of which a disk does not give something, or not soon.
#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/process/opened_files.h"
#include "runtimes/process/runtime_unread_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class ProcessRuntimeUnreadDisk : public ProcessRuntimeUnread {
 protected:
  void SetUp() override {
    ProcessRuntimeUnread::SetUp();
    bed_.disk_thread = disk_;
    running_ = bed_.paths().Run("u", "main", 0) + "/running";
  }
  // From here on the disk is fast.
  void TearDown() override {
    disk_->refuses = true;
    (void)disk_->Answer();
    ProcessRuntimeUnread::TearDown();
  }
  // No other pod has its UID from here on.
  void MakeUidCertain() { pod_.annotations["kubernetes.io/config.hash"] = "u"; }
  void CreateAndExpectRefusal() {
    bed_.runtime().CreatePod(kernel::PlainPlan(pod_));
    const auto* failed = bed_.Await<PodFailed>("u", milliseconds(500));
    ASSERT_NE(failed, nullptr);
    EXPECT_THAT(failed->error.message, HasSubstr("an earlier pod of this UID is in its place"));
  }
  void AwaitReading() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (disk_->waiting() == 0 && std::chrono::steady_clock::now() < deadline) {
      ASSERT_EQ(bed_.Await<PodFound>("u", milliseconds(5)), nullptr);
    }
    ASSERT_EQ(disk_->waiting(), 1U);
  }
  void AwaitAndAnswerReading() {
    AwaitReading();
    (void)disk_->Answer();
    (void)bed_.runtime().TakeEvents();
  }

  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
  std::string running_;
};

TEST_F(ProcessRuntimeUnreadDisk, NoRequestReadsAPodOfWhichARunCannotBeRead) {
  MakeUidCertain();
  Hide(running_);
  ASSERT_THAT(List(), SizeIs(1));
  const OpenedFiles opened(bed_.paths().Containers("u"));
  CreateAndExpectRefusal();
  EXPECT_THAT(opened.Take(), IsEmpty()) << "the start could not read it";
  AwaitAndAnswerReading();
  EXPECT_THAT(opened.Take(), Contains("main"));
  CreateAndExpectRefusal();
  EXPECT_THAT(opened.Take(), IsEmpty());
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnreadDisk, NoRequestReadsADamagedPodAgainOfWhichARunCannotBeRead) {
  MakeUidCertain();
  ASSERT_TRUE(WriteFile(bed_.paths().PodFile("u"), "rubbish"));
  Hide(running_);
  ASSERT_THAT(List(), SizeIs(1));
  CreateAndExpectRefusal();
  const OpenedFiles opened(bed_.paths().Containers("u"));
  CreateAndExpectRefusal();
  EXPECT_THAT(opened.Take(), IsEmpty());
  Mend(running_);
  AwaitAndAnswerReading();
  bed_.runtime().CreatePod(kernel::PlainPlan(pod_));
  EXPECT_NE(bed_.Await<PodFound>("u"), nullptr);
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnreadDisk, AManifestStandsInForARecordThatCannotBeReadAndIsNotReadAgain) {
  MakeUidCertain();
  const std::string file = bed_.paths().PodFile("u");
  Hide(file);
  ASSERT_THAT(List(), SizeIs(1));
  CreateAndExpectRefusal();
  AwaitAndAnswerReading();
  Mend(file);
  const OpenedFiles opened(bed_.paths().Pod("u"));
  bed_.runtime().CreatePod(kernel::PlainPlan(pod_));
  const auto* found = bed_.Await<PodFound>("u", milliseconds(500));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.pod, pod_);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  EXPECT_THAT(opened.Take(), Not(Contains("pod.json")));
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnreadDisk, NobodyWaitsForADiskThatReadsARecordAgain) {
  Hide(bed_.paths().PodFile("u"));
  ASSERT_THAT(List(), SizeIs(1));
  AwaitAndAnswerReading();
  Mend(bed_.paths().PodFile("u"));
  CreateAndExpectRefusal();
  AwaitReading();
  MakeUidCertain();  // not even for a plan that repairs it
  CreateAndExpectRefusal();
  EXPECT_EQ(disk_->Answer(), 1);
  disk_->refuses = true;  // from here on the disk is fast
  const auto* found = bed_.Await<PodFound>("u", milliseconds(500));
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  ExpectItGoesOn();
}

TEST_F(ProcessRuntimeUnreadDisk, ItsEndIsToldWhileADiskDoesNotAnswer) {
  Hide(bed_.paths().PodFile("u"));
  ASSERT_THAT(List(), SizeIs(1));
  AwaitReading();
  ::kill(process_, SIGKILL);
  cgroups_.ProcessExited(process_);
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  Mend(bed_.paths().PodFile("u"));
  disk_->refuses = true;
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<PodFound>("u"), nullptr);
}

// While one ends, the runtime looks at it every 50 ms.
TEST_F(ProcessRuntimeUnreadDisk, ThePodsBesideOneThatEndsAreNotReadMoreOften) {
  bed_.disk_thread = nullptr;
  bed_.Open();
  (void)bed_.runtime().List();
  const Pod other = ShellPod("v", "true");
  ASSERT_TRUE(bed_.Create(other));
  bed_.Close();
  bed_.disk_thread = disk_;
  Hide(bed_.paths().PodFile("u"));
  Hide(bed_.paths().PodFile("v"));
  ASSERT_THAT(List(), SizeIs(1)) << "nothing of the other runs";
  cgroups_.OnSignal(nullptr);  // it takes its time
  bed_.runtime().StopContainer("u", "main", std::chrono::seconds(30));
  AwaitAndAnswerReading();
  EXPECT_EQ(bed_.Await<PodFound>("v", milliseconds(500)), nullptr);
  EXPECT_EQ(disk_->waiting(), 0U);
  Mend(bed_.paths().PodFile("v"));
  AwaitReading();
  disk_->refuses = true;
  (void)disk_->Answer();
  EXPECT_NE(bed_.Await<PodFound>("v"), nullptr);
  EXPECT_EQ(bed_.Await<PodFound>("u", milliseconds(5)), nullptr) << "it is ending";
}

}  // namespace
}  // namespace jettison::process
