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
  // The disk is asked for the pod, and answers.
  void AwaitReading(milliseconds within) {
    EXPECT_EQ(bed_.Await<PodFound>("u", within), nullptr);
    EXPECT_EQ(disk_->Answer(), 1);
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
  AwaitReading(milliseconds(1200));
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
  AwaitReading(milliseconds(1200));
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
  AwaitReading(milliseconds(1200));
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
  AwaitReading(milliseconds(1200));
  Mend(bed_.paths().PodFile("u"));
  CreateAndExpectRefusal();
  EXPECT_EQ(bed_.Await<PodFound>("u", milliseconds(2200)), nullptr);
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
  EXPECT_EQ(bed_.Await<PodFound>("u", milliseconds(1200)), nullptr);
  ::kill(process_, SIGKILL);
  cgroups_.ProcessExited(process_);
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  Mend(bed_.paths().PodFile("u"));
  disk_->refuses = true;
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<PodFound>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::process
