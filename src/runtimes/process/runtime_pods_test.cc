#include "ports/disk_thread.h"
#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using namespace testing;
using std::chrono::milliseconds;

using ProcessRuntimePods = ProcessRuntimeTest;

// Work that takes long is done when the test calls Answer.
class SlowDeletions : public DiskThread {
 public:
  bool refuses = false;

  [[nodiscard]] bool Do(Work) override { return false; }
  [[nodiscard]] bool DoLong(Work work) override {
    if (!refuses) works_.push_back(std::move(work));
    return !refuses;
  }
  // Returns whether there was any.
  bool Answer() {
    const auto works = std::exchange(works_, {});
    for (const Work& work : works) work();
    return !works.empty();
  }

 private:
  std::vector<Work> works_;
};

TEST_F(ProcessRuntimePods, GroupsAreLaidOutAndLimited) {
  Pod pod = ShellPod("u", "true");
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("64Mi")}};
  pod.containers[0].resources.requests = {{"cpu", *Quantity::Parse("500m")}};
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup).memory_bytes, 64U << 20);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup + "/main").memory_bytes, 64U << 20);
  EXPECT_EQ(cgroups_.LimitsOf(kGroup + "/main").cpu_shares, 512U);
  EXPECT_EQ(bed_.runtime().GroupOf("u", "main"), "main");
}

TEST_F(ProcessRuntimePods, APodIsNotMadeInAFolderThatIsNoPods) {
  const std::string file = bed_.paths().Pod("u") + "/data";
  ASSERT_TRUE(MakeFolders(bed_.paths().Pod("u")));
  ASSERT_TRUE(WriteFile(file, "dear"));
  const auto& failed = bed_.CreateFails(ShellPod("u", "true"));
  EXPECT_THAT(failed.error.message, HasSubstr(bed_.paths().Pod("u") + " is in the pod's place"));
  bed_.runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  EXPECT_EQ(ReadFile(file).value_or("nothing"), "dear");
}

TEST_F(ProcessRuntimePods, APodIsThereUntilItsDeadProcessesHoldNoProcessIdsAnyMore) {
  ASSERT_NE(bed_.Run(ShellPod("u", "true")), nullptr);
  cgroups_.SetPids(kGroup, 2);
  bed_.runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", std::chrono::milliseconds(50)), nullptr);
  cgroups_.SetPids(kGroup, 0);
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
}

TEST_F(ProcessRuntimePods, ForgettingARunTakesItsLogAndLayerAndNoOthers) {
  Pod pod = ShellPod("u", "echo x; touch file");
  ASSERT_NE(bed_.Run(pod), nullptr);
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.runtime().RemoveContainer("u", "main", 0);
  EXPECT_TRUE(bed_.runtime().RemovingContainers()) << "no caller waits for the removal";
  while (bed_.runtime().RemovingContainers()) {
    (void)bed_.Await<PodRemoved>("nobody", std::chrono::milliseconds(20));
  }
  EXPECT_THAT(*NamesIn(bed_.paths().Container("u", "main")), testing::ElementsAre("1"));
  EXPECT_THAT(*NamesIn(bed_.paths().ContainerLogs(pod, "main")), testing::ElementsAre("1.log"));
}

TEST_F(ProcessRuntimePods, NothingOfTheNextPodOfAUidIsDeletedAndTheRestIs) {
  const Pod pod = ShellPod("u", "echo said");
  ASSERT_NE(bed_.Run(pod), nullptr);
  ASSERT_NE(bed_.Run(ShellPod("v", "true")), nullptr);
  bed_.Close();
  const auto disk = std::make_shared<SlowDeletions>();
  SlowDeletions later;
  bed_.disk_thread = disk;
  bed_.Open();
  ASSERT_TRUE(bed_.runtime().List());
  for (const char* uid : {"u", "v"}) bed_.runtime().RemoveContainer(uid, "main", 0);
  (void)bed_.runtime().TakeEvents();
  std::swap(*disk, later);
  bed_.runtime().RemovePod("u");
  while (!disk->Answer()) (void)bed_.runtime().TakeEvents();
  disk->refuses = true;
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  ASSERT_NE(bed_.Run(pod), nullptr);
  EXPECT_TRUE(later.Answer());
  while (bed_.runtime().RemovingContainers()) {
    (void)bed_.Await<PodRemoved>("nobody", std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(Exists(bed_.paths().ContainerLogs(pod, "main") + "/0.log"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), testing::ElementsAre("u", "v"));
  EXPECT_TRUE(bed_.logged.empty()) << bed_.logged.front();
}

TEST_F(ProcessRuntimePods, ARunningContainerIsNotForgottenNorStartedTwice) {
  ASSERT_TRUE(bed_.Start(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().RemoveContainer("u", "main", 0);
  EXPECT_TRUE(Exists(bed_.paths().Run("u", "main", 0)));
  bed_.runtime().StartContainer("u", "main", 1, 0);
  const auto& failed = bed_.Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message, HasSubstr("runs already"));
}

TEST_F(ProcessRuntimePods, APodThatCannotBeMadeLeavesNothing) {
  Pod pod = ShellPod("u", "true");
  pod.volumes = {{"v", SecretSource{.secret_name = "s"}}};
  const auto& failed = bed_.CreateFails(pod);
  EXPECT_THAT(failed.error.message, HasSubstr("secret \"s\" not found"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_FALSE(cgroups_.Exists(kGroup));
}

// The disk takes its time.
TEST(ProcessRuntimeSlowDisk, APodThatEndsWhileItsFilesAreBeingMadeLeavesNothing) {
  FakeCgroups cgroups;
  const TemporaryFolder folder;
  RuntimeBed bed(cgroups, folder.path());
  const auto disk = std::make_shared<FakeDiskThread>();
  bed.disk_thread = disk;
  bed.Open();
  bed.runtime().CreatePod(kernel::PlainPlan(ShellPod("u", "true")));
  bed.runtime().RemovePod("u");
  EXPECT_EQ(bed.Await<PodRemoved>("u", milliseconds(20)), nullptr);
  bool removed = false;
  for (int i = 0; i < 400 && !removed; ++i) {
    (void)disk->Answer();
    removed = bed.Await<PodRemoved>("u", milliseconds(5)) != nullptr;
  }
  EXPECT_TRUE(removed);
  EXPECT_THAT(*NamesIn(bed.paths().Pods()), IsEmpty());
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

TEST_F(ProcessRuntimeSlowVolumes, AnAgentThatStartsAgainDoesNotWaitForThem) {
  Pod pod = OnTheDead("u");
  pod.containers = ShellPod("u", "exec sleep 1000").containers;
  bed_.known["u"] = pod;
  bed_.runtime().CreatePod(kernel::PlainPlan(pod));
  ASSERT_EQ(slow_->Answer(), 1);
  ASSERT_NE(bed_.Await<PodReady>("u"), nullptr);
  ASSERT_TRUE(bed_.Start("u", "main"));
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
