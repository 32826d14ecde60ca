// A disk that takes its time: the caller waits for nothing, and steps keep their order.
#include <gmock/gmock.h>

#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

class CriRuntimeSlowDisk : public CriRuntime {
 protected:
  CriRuntimeSlowDisk() {
    bed_.disk_thread = disk_;
    bed_.Open();
  }
  void Create() {
    bed_.known["u"] = SimplePod("u");
    runtime().CreatePod(kernel::PlainPlan(SimplePod("u")));
  }
  // The disk has answered for all but the record of what is about to start.
  void StartUpToItsRecord() {
    Create();
    ASSERT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
    (void)disk_->Answer();
    runtime().StartContainer("u", "main", 0, 0);
    AwaitWorkOfTheDisk();
    EXPECT_EQ(disk_->Answer(), 1);  // the folder of its log alone
    AwaitWorkOfTheDisk();
  }
  // Until the disk is to do something, and a moment longer: no container starts meanwhile.
  void AwaitWorkOfTheDisk() {
    for (int i = 0; i < 2000 && disk_->waiting() == 0; ++i) {
      ASSERT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(5)), nullptr);
    }
    EXPECT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(30)), nullptr);
  }
  // The event, if it comes while the disk answers.
  template <typename Event>
  [[nodiscard]] const Event* AwaitWithDisk(const std::string& uid) {
    for (int i = 0; i < 200; ++i) {
      (void)disk_->Answer();
      if (const auto* event = bed_.Await<Event>(uid, milliseconds(5))) return event;
    }
    return nullptr;
  }

  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
};

TEST_F(CriRuntimeSlowDisk, ASandboxIsMadeWhenThePodsFilesAreThere) {
  Create();
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(30)), nullptr);
  EXPECT_FALSE(kernel::Exists(bed_.root() + "/pods/u"));
  EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(StartsWith("RunPodSandbox"))));
  EXPECT_NE(AwaitWithDisk<PodReady>("u"), nullptr);
  EXPECT_TRUE(kernel::Exists(bed_.root() + "/pods/u"));
}

TEST_F(CriRuntimeSlowDisk, AContainerStartsWhenItHasBeenWrittenDown) {
  StartUpToItsRecord();
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains(StartsWith("CreateContainer")));
  EXPECT_EQ(disk_->Answer(), 1);
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::cri
