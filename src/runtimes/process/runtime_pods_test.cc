#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/disk_thread.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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

TEST_F(ProcessRuntimePods, NoOtherUserReachesAVolumeThatEverybodyMayWriteTo) {
  struct stat facts {};
  const std::string pods = bed_.paths().Pods();
  ASSERT_EQ(::stat(pods.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & S_IRWXO, 0U);
  bed_.Close();
  ASSERT_EQ(::chmod(pods.c_str(), 0755), 0);  // as earlier versions made it
  bed_.Open();
  ASSERT_EQ(::stat(pods.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & S_IRWXO, 0U);
}

TEST_F(ProcessRuntimePods, APodIsNotMadeInAFolderThatIsNoPods) {
  const std::string file = bed_.paths().Pod("u") + "/data";
  ASSERT_TRUE(MakeFolders(bed_.paths().Pod("u")));
  ASSERT_TRUE(WriteFile(file, "dear"));
  bed_.runtime().CreatePod(PlainPlan(ShellPod("u", "true")));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr(bed_.paths().Pod("u") + " is in the pod's place"));
  bed_.runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  EXPECT_EQ(ReadFile(file).value_or("nothing"), "dear");
}

TEST_F(ProcessRuntimePods, RemovingAPodLeavesNothing) {
  // What nobody may read is deleted by root alone.
  Pod pod = ShellPod("u",
                     "mkdir -p a/b/c; touch a/f; mkfifo p; ln -s / l; "
                     "[ \"$(id -u)\" -ne 0 ] || chmod 0 a/b");
  pod.volumes = {{"v", EmptyDirSource{}}};
  ASSERT_NE(bed_.Run(pod), nullptr);
  ASSERT_TRUE(bed_.Remove("u"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_THAT(*NamesIn(bed_.paths().Logs()), IsEmpty());
  EXPECT_FALSE(cgroups_.Exists(kGroup));
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

// A file in the layer of the container's first run that cannot be deleted until Release.
class ProcessRuntimeStuckRun : public ProcessRuntimePods {
 protected:
  void SetUp() override {
    ProcessRuntimePods::SetUp();
    ASSERT_NE(bed_.Run(pod_), nullptr);
    const std::string layer = bed_.paths().Run("u", "main", 0) + "/rootfs";
    held_ = FileDescriptor(::open(layer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!SetFlags(FS_IMMUTABLE_FL)) GTEST_SKIP() << "no folder can be made immutable here";
    bed_.runtime().RemoveContainer("u", "main", 0);
    for (int i = 0; i < 100 && !SaysSo(); ++i) AwaitNothing(std::chrono::milliseconds(100));
    ASSERT_TRUE(SaysSo());
    ASSERT_NE(doomed(), "");
  }
  void TearDown() override { Release(); }
  void Release() { EXPECT_TRUE(SetFlags(0)); }
  [[nodiscard]] bool SetFlags(int flags) {
    return ::ioctl(held_.get(), FS_IOC_SETFLAGS, &flags) == 0;
  }
  // The folder under the name that it was given.
  [[nodiscard]] std::string doomed() {
    for (const std::string& name :
         NamesIn(bed_.paths().Pods()).value_or(std::vector<std::string>{})) {
      if (name.starts_with(".gone-u-main-0")) return bed_.paths().Pod(name);
    }
    return "";
  }
  [[nodiscard]] bool SaysSo() const {
    return std::any_of(bed_.logged.begin(), bed_.logged.end(), [](const std::string& line) {
      return line.find("delete what nobody needs any more") != std::string::npos;
    });
  }
  void AwaitNothing(std::chrono::milliseconds time) {
    (void)bed_.Await<PodRemoved>("nobody", time);
  }

  const Pod pod_ = ShellPod("u", "echo said");
  FileDescriptor held_;
};

TEST_F(ProcessRuntimeStuckRun, NobodyWaitsForEverForWhatCannotBeRemoved) {
  for (int i = 0; i < 100 && bed_.runtime().RemovingContainers(); ++i) {
    AwaitNothing(std::chrono::milliseconds(100));
  }
  EXPECT_FALSE(bed_.runtime().RemovingContainers());
  bed_.runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.runtime().RemoveContainer("u", "main", 1);
  EXPECT_TRUE(bed_.AwaitGone(bed_.paths().Run("u", "main", 1))) << "others are removed meanwhile";
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
  ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.runtime().RemoveContainer("u", "main", 0);
  EXPECT_TRUE(Exists(bed_.paths().Run("u", "main", 0)));
  bed_.runtime().StartContainer("u", "main", 1, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("runs already"));
}

TEST_F(ProcessRuntimePods, APodThatCannotBeMadeLeavesNothing) {
  Pod pod = ShellPod("u", "true");
  pod.volumes = {{"v", SecretSource{.secret_name = "s"}}};
  bed_.runtime().CreatePod(kernel::PlainPlan(pod));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("secret \"s\" not found"));
  EXPECT_THAT(*NamesIn(bed_.paths().Pods()), IsEmpty());
  EXPECT_FALSE(cgroups_.Exists(kGroup));
}

TEST_F(ProcessRuntimePods, ASecondAgentIsKeptOutOfTheRoot) {
  const SystemClock clock;
  const auto second = OpenProcessRuntime(bed_.Options(), cgroups_, cgroups_, clock);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another agent works in this folder"));
}

}  // namespace
}  // namespace jettison::process
