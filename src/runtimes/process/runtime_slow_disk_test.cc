// A disk that takes its time: the caller waits for nothing, and steps keep their order.
#include "ports/fakes/fake_disk_thread.h"
#include "ports/fakes/fake_slow_paths.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
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

// Pods with volumes on file systems that may never answer.
class ProcessRuntimeSlowVolumes : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeFolders(dead_));
    bed_.disk_thread = slow_;
    ProcessRuntimeTest::SetUp();
  }
  [[nodiscard]] Pod OnTheDead(const std::string& uid, const std::string& type = "Directory") {
    Pod pod = ShellPod(uid, "true");
    pod.volumes = {{"data", HostPathSource{.path = dead_, .type = type}}};
    return bed_.known[uid] = pod;
  }

  const std::string dead_ = folder_.path() + "/dead";
  std::shared_ptr<FakeSlowPaths> slow_ = std::make_shared<FakeSlowPaths>(dead_);
};

TEST_F(ProcessRuntimeSlowVolumes, OthersStartWhileAPodWaitsForItsVolume) {
  for (const char* type : {"Directory", ""}) {
    const std::string uid = "u" + std::string(type);
    bed_.runtime().CreatePod(kernel::PlainPlan(OnTheDead(uid, type)));
    bed_.runtime().CreatePod(kernel::PlainPlan(OnTheDead(uid, type)));
    ASSERT_NE(bed_.Run(ShellPod("other" + uid, "true")), nullptr);
    EXPECT_FALSE(Exists(bed_.paths().PodFile(uid))) << "the next agent creates the pod again";
    EXPECT_EQ(slow_->Answer(), 1);
    EXPECT_NE(bed_.Await<PodReady>(uid), nullptr);
    EXPECT_TRUE(Exists(bed_.paths().PodFile(uid)));
  }
}

TEST_F(ProcessRuntimeSlowVolumes, APodThatHasWaitedForTooLongFailsNamingThePath) {
  bed_.path_patience = std::chrono::milliseconds(1);
  bed_.Close();
  bed_.Open();
  bed_.runtime().CreatePod(kernel::PlainPlan(OnTheDead("u")));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(failed->error.message, AllOf(HasSubstr("volume data"), HasSubstr(dead_)));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_EQ(slow_->Answer(), 0);
}

TEST_F(ProcessRuntimeSlowVolumes, AnAgentThatStartsAgainDoesNotWaitForThem) {
  Pod pod = OnTheDead("u");
  pod.containers = ShellPod("u", "exec sleep 1000").containers;
  bed_.known["u"] = pod;
  bed_.runtime().CreatePod(kernel::PlainPlan(pod));
  ASSERT_EQ(slow_->Answer(), 1);
  ASSERT_NE(bed_.Await<PodReady>("u"), nullptr);
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.path_patience = std::chrono::milliseconds(1);
  bed_.Close();
  bed_.Open();
  ASSERT_TRUE(bed_.runtime().List());
  EXPECT_EQ(bed_.Await<PodFailed>("u", std::chrono::milliseconds(100)), nullptr);
  EXPECT_THAT(bed_.logged, Contains(AllOf(HasSubstr("adopt pod"), HasSubstr(dead_))));
  bed_.runtime().KillContainer("u", "main");
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::process
