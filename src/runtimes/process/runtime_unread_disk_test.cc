// Pods of an earlier agent of which a disk does not give something, or not soon.
#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/process/runtime_unread_fixture.h"
#include "runtimes/process/testing/opened_files.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

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
  void Answer() {
    EXPECT_EQ(disk_->Answer(), 1);
    (void)bed_.runtime().TakeEvents();
  }

  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
  std::string running_;
};

TEST_F(ProcessRuntimeUnreadDisk, TheLoopReadsNothingThatTheDiskHasNotGiven) {
  MakeUidCertain();
  for (const std::string& hidden : {running_, bed_.paths().PodFile("u")}) {
    bed_.Close();
    Hide(hidden);
    ASSERT_THAT(List(), IsEmpty());
    const OpenedFiles opened(bed_.paths().Containers("u"));
    const OpenedFiles record(bed_.paths().Pod("u"));
    ExpectRefusal();
    ExpectRefusal();
    EXPECT_THAT(opened.Take(), IsEmpty());
    EXPECT_THAT(record.Take(), Not(Contains("pod.json")));
    EXPECT_EQ(disk_->waiting(), 1U) << "it is read once for all requests";
    if (hidden == running_) Answer();
    EXPECT_EQ(bed_.Await<PodFound>("u", milliseconds(5)), nullptr);
    ExpectItGoesOn();
    Mend(hidden);
  }
}

TEST_F(ProcessRuntimeUnreadDisk, AManifestStandsInForARecordThatCannotBeReadAndIsNotReadAgain) {
  MakeUidCertain();
  const std::string file = bed_.paths().PodFile("u");
  Hide(file);
  ASSERT_THAT(List(), IsEmpty());
  ExpectRefusal();
  EXPECT_EQ(disk_->Answer(), 1);
  const OpenedFiles opened(bed_.paths().Pod("u"));
  const auto* found = bed_.Await<PodFound>("u");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.pod, pod_);
  EXPECT_FALSE(found->pod.containers.at(0).exit);
  EXPECT_THAT(opened.Take(), Not(Contains("pod.json")));
  ExpectItGoesOn();
  (void)disk_->Answer();
  EXPECT_EQ(*ReadFile(file), "u") << "it is written anew";
}

}  // namespace
}  // namespace jettison::process
