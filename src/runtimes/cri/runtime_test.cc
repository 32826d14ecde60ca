#include "runtimes/cri/runtime.h"

#include <gmock/gmock.h>

#include <functional>

#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(CriRuntime, APodLivesAndLeavesNothing) {
  Pod pod = SimplePod("u");
  pod.volumes = {{"data", EmptyDirSource{}}};
  ASSERT_TRUE(bed_.Run(pod));
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  const PodDisk disk = runtime().DiskOf(pod);
  EXPECT_EQ(disk.containers[0].layer, "/layers/run-2");
  EXPECT_EQ(disk.empty_dirs[0].path, bed_.root() + "/pods/u/volumes/data");
  const Instant started = bed_.clock.Now();
  bed_.clock.Advance(seconds(1));
  containerd().Exit("main", 3);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
  EXPECT_EQ(exited->exit.signal, 0);
  EXPECT_EQ(exited->exit.started, started) << "as it was seen";
  EXPECT_EQ(exited->exit.finished, started) << "the runtime's time lies before its start";
  EXPECT_EQ(runtime().GroupOf("u", "main"), "");
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, APodIsNotMadeInAFolderThatIsNoPods) {
  const std::string folder = bed_.root() + "/pods/u";
  ASSERT_TRUE(kernel::MakeFolders(folder));
  ASSERT_TRUE(kernel::WriteFile(folder + "/data", "dear"));
  runtime().CreatePod(kernel::PlainPlan(SimplePod("u")));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr(folder + " is in the pod's place"));
  EXPECT_EQ(kernel::ReadFile(folder + "/data").value_or("nothing"), "dear");
}

TEST_F(CriRuntime, RunsAreCountedAndOldOnesForgottenOneByOne) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().Exit("main", 1);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  runtime().StartContainer("u", "main", 1, 0);
  const auto* started = bed_.Await<ContainerStarted>("u");
  ASSERT_NE(started, nullptr);
  EXPECT_EQ(started->attempt, 1);
  EXPECT_EQ(containerd().runs.size(), 2U);
  runtime().RemoveContainer("u", "main", 1);
  bed_.events.Settle(runtime());
  EXPECT_EQ(containerd().runs.size(), 2U) << "it runs";
  runtime().RemoveContainer("u", "main", 0);
  bed_.events.Settle(runtime());
  EXPECT_EQ(containerd().runs.size(), 1U);
  EXPECT_EQ(containerd().At("main").config.metadata().attempt(), 1U);
}

TEST_F(CriRuntime, ThePodIsInTheHostsNetworkWhereTheRuntimeHasNone) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  const auto& without = containerd().boxes.begin()->second.config;
  EXPECT_EQ(without.linux().security_context().namespace_options().network(), api::NODE);
  ASSERT_TRUE(bed_.Remove("u"));
  containerd().network_ready = true;
  ASSERT_TRUE(bed_.Create(SimplePod("v")));
  const auto& with = containerd().boxes.begin()->second.config;
  EXPECT_EQ(with.linux().security_context().namespace_options().network(), api::POD);
}

TEST_F(CriRuntime, APodThatCannotBeMadeLeavesNothingAndSaysWhy) {
  containerd().sandbox_errors = {{ErrorCode::kInternal, "no room"}};
  containerd().failed_sandbox_stays = true;
  bed_.known["u"] = SimplePod("u");
  runtime().CreatePod(kernel::PlainPlan(SimplePod("u")));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "make the sandbox: no room");
  bed_.ExpectNothingLeft("u");
  ASSERT_TRUE(bed_.Create(SimplePod("u"))) << "it may be tried again";
  EXPECT_GE(containerd().boxes.begin()->second.config.metadata().attempt(), 1U)
      << "under a name that was not taken";
}

TEST_F(CriRuntime, APodThatIsRemovedWhileItsSandboxHangsIsGoneAtOnceAndWhatComesLaterIsRemoved) {
  bed_.relist_period = milliseconds(10);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  bed_.calls->HoldBack("RunPodSandbox");
  bed_.known["u"] = SimplePod("u");
  runtime().CreatePod(kernel::PlainPlan(bed_.known["u"]));
  bed_.events.Settle(runtime());
  runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
  bed_.calls->LetGo();
  bed_.calls->Deliver();
  EXPECT_EQ(containerd().boxes.size(), 1U);
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while (!containerd().boxes.empty() && std::chrono::steady_clock::now() < deadline) {
    EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(5)), nullptr);
  }
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, APodIsRefusedBeforeAnythingIsMade) {
  struct Row {
    std::function<void(Pod&)> change;
    const char* message;
  };
  const std::vector<Row> rows = {
      {[](Pod& pod) { pod.containers[0].image = ""; }, "container main has no image"},
      {[](Pod& pod) {
         pod.volumes = {{"v", OtherVolumeSource{"nfs"}}};
       },
       "nfs is not supported"},
      {[](Pod& pod) {
         pod.containers[0].volume_mounts = {{"v", "/v", "", false}};
       },
       "no volume of that name"},
      {[](Pod& pod) { pod.name = "../up"; }, "cannot be the name of a folder"}};
  for (const Row& row : rows) {
    Pod pod = SimplePod("u");
    row.change(pod);
    runtime().CreatePod(kernel::PlainPlan(pod));
    const auto* failed = bed_.Await<PodFailed>("u");
    ASSERT_NE(failed, nullptr) << row.message;
    EXPECT_THAT(failed->error.message, HasSubstr(row.message));
    EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(HasSubstr("RunPodSandbox"))));
    bed_.ExpectNothingLeft("u");
  }
}

TEST_F(CriRuntime, SystemdIsToldOfAPodsLimitsBeforeTheRuntimeAndOfItsEnd) {
  bed_.cgroup_driver = CgroupDriver::kSystemd;
  bed_.Open();
  Pod pod = SimplePod("u-1");
  pod.containers[0].resources.limits = {{"memory", Quantity::Of(32 << 20)}};
  containerd().sandbox_errors = {{ErrorCode::kInternal, "none today"}};
  bed_.known["u-1"] = pod;
  runtime().CreatePod(kernel::PlainPlan(pod));
  ASSERT_NE(bed_.Await<PodFailed>("u-1"), nullptr);
  const std::string slice = "kubepods-burstable-podu_1.slice";
  EXPECT_THAT(bed_.asked_of_systemd,
              testing::ElementsAre("start " + slice + " 33554432", "stop " + slice));
  bed_.asked_of_systemd.clear();
  ASSERT_TRUE(bed_.Create(pod));
  ASSERT_TRUE(bed_.Remove("u-1"));
  EXPECT_THAT(bed_.asked_of_systemd,
              testing::ElementsAre("start " + slice + " 33554432", "stop " + slice));
}

}  // namespace
}  // namespace jettison::cri
