#include "runtimes/cri/runtime.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(CriRuntime, APodLivesAndLeavesNothing) {
  Pod pod = SimplePod("u");
  pod.volumes = {{"data", EmptyDirSource{}}};
  ASSERT_TRUE(bed_.Start(pod));
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  const PodDisk disk = runtime().DiskOf(pod);
  EXPECT_EQ(disk.containers[0].layer, "/layers/run-2");
  EXPECT_EQ(disk.empty_dirs[0].path, bed_.root() + "/pods/u/volumes/data");
  const Instant started = bed_.clock.Now();
  bed_.clock.Advance(seconds(1));
  containerd().Exit("main", 3);
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 3);
  EXPECT_EQ(exited.exit.signal, 0);
  EXPECT_EQ(exited.exit.started, started) << "as it was seen";
  EXPECT_EQ(exited.exit.finished, started) << "the runtime's time lies before its start";
  EXPECT_EQ(runtime().GroupOf("u", "main"), "");
  bed_.TakeDown("u");
}

TEST_F(CriRuntime, RunsAreCountedAndOldOnesForgottenOneByOne) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  containerd().Exit("main", 1);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  runtime().StartContainer("u", "main", 1, 0);
  const auto& started = bed_.Need<ContainerStarted>("u");
  EXPECT_EQ(started.attempt, 1);
  EXPECT_EQ(containerd().runs.size(), 2U);
  runtime().RemoveContainer("u", "main", 1);
  bed_.Settle();
  EXPECT_EQ(containerd().runs.size(), 2U) << "it runs";
  runtime().RemoveContainer("u", "main", 0);
  bed_.Settle();
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
  const auto& failed = bed_.CreateFails(SimplePod("u"));
  EXPECT_EQ(failed.error.message, "make the sandbox: no room");
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
  bed_.Settle();
  runtime().RemovePod("u");
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
  bed_.calls->LetGo();
  bed_.calls->Deliver();
  EXPECT_EQ(containerd().boxes.size(), 1U);
  EXPECT_TRUE(bed_.Becomes([this] { return containerd().boxes.empty(); }));
  bed_.Rewind();
  EXPECT_EQ(bed_.Await<PodReady>("u", milliseconds(0)), nullptr);
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, APodIsRefusedBeforeAnythingIsMade) {
  Pod no_image = SimplePod("u");
  no_image.containers[0].image = "";
  Pod no_volume = SimplePod("u");
  no_volume.containers[0].volume_mounts = {{"v", "/v", "", false}};
  for (const auto& [pod, message] : {std::pair(no_image, "container main has no image"),
                                     std::pair(no_volume, "no volume of that name")}) {
    EXPECT_THAT(bed_.CreateFails(pod).error.message, HasSubstr(message));
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

// How containers end.

const std::string kGroup = "kubepods/burstable/podu";

TEST_F(CriRuntime, StopSignalsTheProcessBeforeItReturnsEvenIfTheRuntimeHangs) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  containerd().ignores_term = true;
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGTERM)));
  runtime().KillContainer("u", "main");
  EXPECT_FALSE(containerd().processes.Runs(1000));
  EXPECT_THAT(bed_.cgroups.kills(), Contains(kGroup + "/run-2"));
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
  EXPECT_EQ(exited.exit.signal, SIGKILL);
  EXPECT_EQ(exited.exit.finished, Instant(seconds(100)));
  runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(50)), nullptr) << "not before its answer";
  bed_.calls->Resume();
  bed_.calls->Deliver();
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, AContainerWhoseProcessCannotBeOpenedIsKilledByItsGroup) {
  containerd().processes.has_descriptors = false;
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(1));
  runtime().KillContainer("u", "main");
  EXPECT_THAT(bed_.cgroups.kills(), Contains(kGroup + "/run-2"));
  const auto& exited = bed_.Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
}

TEST_F(CriRuntime, TheImageSaysWhichSignalAsksForTheEnd) {
  bed_.calls->on_image_status = [](const auto&) {
    api::ImageStatusResponse response;
    response.mutable_image()->set_id("sha256:1");
    (*response.mutable_info())["info"] = R"({"imageSpec":{"config":{"StopSignal":"SIGUSR1"}}})";
    return response;
  };
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGUSR1)));
}

TEST_F(CriRuntime, AHookRunsBeforeTheSignalAndNoLongerThanTheGracePeriod) {
  Pod pod = SimplePod("u");
  pod.containers[0].pre_stop = ExecAction{{"sync"}};
  ASSERT_TRUE(bed_.Start(pod));
  bed_.calls->on_exec_sync = [&](const api::ExecSyncRequest& request) {
    EXPECT_THAT(containerd().signals, IsEmpty());
    EXPECT_EQ(request.cmd(0), "sync");
    EXPECT_EQ(request.timeout(), 30);
    return api::ExecSyncResponse();
  };
  runtime().StopContainer("u", "main", seconds(30));
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGTERM)));
  ASSERT_TRUE(bed_.Start("u", "main", 1));
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(30));
  runtime().StopContainer("u", "main", milliseconds(20));
  EXPECT_EQ(containerd().signals.size(), 1U);
  EXPECT_EQ(bed_.Await<ContainerExited>("u", milliseconds(100)), nullptr);
  EXPECT_THAT(containerd().signals, Contains(Pair(1001, SIGTERM)));
}

TEST_F(CriRuntime, AnOomKillIsKnownFromTheGroupOrTheRuntime) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  bed_.cgroups.SetOomKills(kGroup + "/run-2", 1);
  containerd().Exit("main", 137);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
  ASSERT_TRUE(bed_.Start("u", "main", 1));
  containerd().At("main").reason = "OOMKilled";
  containerd().Exit("main", 137);
  exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
}

// A pod "u" runs and writes its log; one of 100 bytes is rotated. (T: 1970-01-01)
class CriLogRotation : public CriRuntime {
 protected:
  CriLogRotation() {
    bed_.log_max_bytes = 100;
    bed_.Open();
    EXPECT_TRUE(runtime().List());
    EXPECT_TRUE(bed_.Start(SimplePod("u")));
    Write("");
    (void)bed_.calls->TakeCalls();
  }
  [[nodiscard]] std::string Folder() const { return bed_.root() + "/logs/default_pod-u_u/main"; }
  [[nodiscard]] std::vector<std::string> Names() const { return *kernel::NamesIn(Folder()); }
  [[nodiscard]] std::string Read(const std::string& name) const {
    return kernel::ReadFile(Folder() + "/" + name).value_or("nothing");
  }
  void Write(const std::string& text) { ASSERT_TRUE(kernel::WriteFile(Folder() + "/0.log", text)); }
  // Looks at the logs several times.
  void Pass() { (void)bed_.Await<PodRemoved>("nobody", milliseconds(50)); }
  [[nodiscard]] int Reopenings() {
    const auto calls = bed_.calls->TakeCalls();
    return static_cast<int>(std::ranges::count_if(
        calls, [](const std::string& call) { return call.starts_with("ReopenContainerLog "); }));
  }
};

TEST_F(CriLogRotation, WhereTheRuntimeFailsTheLogGetsItsNameBackAndThatIsSaidOnce) {
  bed_.calls->on_reopen_container_log = [](const auto&) -> Result<api::ReopenContainerLogResponse> {
    return Fail(ErrorCode::kInternal, "not today");
  };
  Write(std::string(200, 'a'));
  (void)Reopenings();
  ASSERT_TRUE(bed_.Becomes([this] { return Reopenings() > 0; }));
  ASSERT_TRUE(bed_.Becomes([this] { return Reopenings() > 0; })) << "it is tried again";
  EXPECT_TRUE(bed_.Becomes([this] { return Read("0.log") == std::string(200, 'a'); }));
  EXPECT_THAT(Names(), ElementsAre("0.log"));
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("not today")));
}

TEST_F(CriLogRotation, AHangingRuntimeIsAskedOnce) {
  bed_.calls->Hang();
  Write(std::string(200, 'a'));
  (void)Reopenings();
  ASSERT_TRUE(bed_.Becomes([this] { return Reopenings() == 1; }));
  Pass();
  EXPECT_EQ(Reopenings(), 0);
  EXPECT_THAT(Names(), ElementsAre("0.log.19700101-000140")) << "the container writes there";
  bed_.calls->Resume();
  bed_.calls->Deliver();
  EXPECT_THAT(Names(), ElementsAre("0.log", "0.log.19700101-000140"));
}

TEST_F(CriRuntime, AStartedContainerOfWhichNothingIsKnownIsAskedForAgain) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  bed_.calls->on_start_container = [](const auto&) { return api::StartContainerResponse(); };
  containerd().refused_statuses["run-2"] = {ErrorCode::kUnavailable, "the runtime is busy"};
  runtime().StartContainer("u", "main", 0, 0);
  EXPECT_EQ(bed_.Await<ContainerStarted>("u", std::chrono::milliseconds(50)), nullptr);
  containerd().refused_statuses.clear();
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::cri
