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

TEST_F(ProcessRuntimeSlowDisk, ARunStartsWhenItsFolderIsThere) {
  Create(ShellPod("u", "true"));
  ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  bed_.runtime().StartContainer("u", "main", 0, 0);
  EXPECT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(10)), nullptr);
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
}

TEST_F(ProcessRuntimeSlowDisk, APodThatEndsWhileItsFilesAreBeingMadeLeavesNothing) {
  Create(ShellPod("u", "true"));
  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(20)), nullptr);
  EXPECT_NE(AwaitWithDisk<PodRemoved>("u"), nullptr);
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
}

}  // namespace
}  // namespace jettison::process
