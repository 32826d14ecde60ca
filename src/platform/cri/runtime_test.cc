#include "platform/cri/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "platform/cri/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

const std::string kGroup = "kubepods/burstable/podu";

class CriRuntime : public testing::Test {
 protected:
  [[nodiscard]] Runtime& runtime() { return *bed_.runtime; }
  [[nodiscard]] FakeContainerd& containerd() { return bed_.containerd; }
  [[nodiscard]] const ContainerStartFailed* StartFails(const Pod& pod) {
    if (!bed_.Create(pod)) return nullptr;
    runtime().StartContainer(pod.uid, "main", 0, 0);
    return bed_.Await<ContainerStartFailed>(pod.uid);
  }

  FakeRuntimeBed bed_;
};

TEST_F(CriRuntime, APodLivesAndLeavesNothing) {
  Pod pod = SimplePod("u");
  pod.volumes = {{"data", EmptyDirSource{}}};
  ASSERT_TRUE(bed_.Run(pod));
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  const PodDisk disk = runtime().DiskOf(pod);
  EXPECT_EQ(disk.containers[0].layer, "/layers/run-2");
  EXPECT_EQ(disk.empty_dirs[0].path, bed_.root() + "/pods/u/volumes/data");
  containerd().Exit("main", 3);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3);
  EXPECT_EQ(exited->exit.signal, 0);
  EXPECT_EQ(exited->exit.started, Instant(seconds(2)));
  EXPECT_EQ(exited->exit.finished, Instant(seconds(3)));
  EXPECT_EQ(runtime().GroupOf("u", "main"), "");
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
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

TEST_F(CriRuntime, AFailedSandboxIsClearedAwayAndTriedUnderAnotherAttempt) {
  containerd().sandbox_errors = {{ErrorCode::kInternal, "no room"}};
  containerd().failed_sandbox_stays = true;
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  ASSERT_EQ(containerd().boxes.size(), 1U);
  EXPECT_EQ(containerd().boxes.begin()->second.config.metadata().attempt(), 1U);
}

TEST_F(CriRuntime, APodThatCannotBeMadeLeavesNothingAndSaysWhy) {
  containerd().sandbox_errors = {{ErrorCode::kInternal, "no room"}, {ErrorCode::kInternal, "none"}};
  containerd().failed_sandbox_stays = true;
  bed_.known["u"] = SimplePod("u");
  runtime().CreatePod(SimplePod("u"));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "make the sandbox: none");
  bed_.ExpectNothingLeft("u");
  ASSERT_TRUE(bed_.Create(SimplePod("u"))) << "and may be tried again";
  EXPECT_GE(containerd().boxes.begin()->second.config.metadata().attempt(), 2U)
      << "under a name that was not taken";
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
    runtime().CreatePod(pod);
    const auto* failed = bed_.Await<PodFailed>("u");
    ASSERT_NE(failed, nullptr) << row.message;
    EXPECT_THAT(failed->error.message, HasSubstr(row.message));
    EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(HasSubstr("RunPodSandbox"))));
    bed_.ExpectNothingLeft("u");
  }
}

TEST_F(CriRuntime, ImagesAreFetchedAsTheirPolicySays) {
  Pod pod = SimplePod("u");
  containerd().image_present = false;
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  const auto* failed = StartFails(pod);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message,
            "ErrImageNeverPull: Container image \"bed.local/tiny:1\" is not present with pull "
            "policy of Never");
  EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(HasSubstr("PullImage"))));
  ASSERT_TRUE(bed_.Remove("u"));

  pod.containers[0].image_pull_policy = PullPolicy::kIfNotPresent;
  bed_.calls->on_pull_image = [&](const auto&) -> Result<api::PullImageResponse> {
    return Fail(ErrorCode::kUnavailable, "no such host");
  };
  failed = StartFails(pod);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message,
            "ErrImagePull: Failed to pull image \"bed.local/tiny:1\": no such host");
  bed_.calls->on_pull_image = [&](const auto&) {
    containerd().image_present = true;
    return api::PullImageResponse();
  };
  runtime().StartContainer("u", "main", 1, 0);
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  ASSERT_TRUE(bed_.Remove("u"));

  pod.containers[0].image_pull_policy = PullPolicy::kAlways;
  (void)bed_.calls->TakeCalls();
  ASSERT_TRUE(bed_.Run(pod));
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("PullImage bed.local/tiny:1"));
}

TEST_F(CriRuntime, AContainerThatCannotBeMadeOrStartedLeavesNoneBehind) {
  bed_.calls->on_start_container = [](const auto&) -> Result<api::StartContainerResponse> {
    return Fail(ErrorCode::kInternal, "exec: no such file");
  };
  const auto* failed = StartFails(SimplePod("u"));
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "RunContainerError: exec: no such file");
  bed_.events.Settle(runtime());
  EXPECT_THAT(containerd().runs, IsEmpty());
  bed_.calls->on_create_container =
      [&](const api::CreateContainerRequest& request) -> Result<api::CreateContainerResponse> {
    containerd().runs["half-made"] = {.sandbox = request.pod_sandbox_id(),
                                      .config = request.config()};
    return Fail(ErrorCode::kDeadlineExceeded, "it took too long");
  };
  ASSERT_TRUE(runtime().List()) << "from now on everything is compared";
  runtime().StartContainer("u", "main", 1, 0);
  failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "CreateContainerError: it took too long");
  bed_.events.Settle(runtime());
  EXPECT_THAT(containerd().runs, IsEmpty());
}

TEST_F(CriRuntime, ANonsenseAnswerIsAnErrorThatSaysSo) {
  bed_.calls->on_create_container = [](const auto&) { return api::CreateContainerResponse(); };
  const auto* failed = StartFails(SimplePod("u"));
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("gave no ID of it"));
  bed_.calls->on_image_status = [](const auto&) {
    api::ImageStatusResponse response;
    response.mutable_image();
    return response;
  };
  runtime().StartContainer("u", "main", 1, 0);
  failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("gave no ID of image"));
  bed_.calls->on_run_pod_sandbox = [](const auto&) { return api::RunPodSandboxResponse(); };
  runtime().CreatePod(SimplePod("v"));
  const auto* pod_failed = bed_.Await<PodFailed>("v");
  ASSERT_NE(pod_failed, nullptr);
  EXPECT_THAT(pod_failed->error.message, HasSubstr("gave no ID of it"));
}

TEST_F(CriRuntime, StopSignalsTheProcessBeforeItReturnsEvenIfTheRuntimeHangs) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().ignores_term = true;
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGTERM)));
  runtime().KillContainer("u", "main");
  EXPECT_FALSE(containerd().processes.Runs(1000));
  EXPECT_THAT(bed_.cgroups.kills(), Contains(kGroup + "/run-2"));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr) << "told without the runtime";
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_EQ(exited->exit.signal, SIGKILL);
  EXPECT_EQ(exited->exit.finished, Instant(seconds(100)));
  runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(50)), nullptr) << "not before it answers";
  bed_.calls->Resume();
  bed_.calls->Deliver();
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, TheImageSaysWhichSignalAsksForTheEnd) {
  bed_.calls->on_image_status = [](const auto&) {
    api::ImageStatusResponse response;
    response.mutable_image()->set_id("sha256:1");
    (*response.mutable_info())["info"] = R"({"imageSpec":{"config":{"StopSignal":"SIGUSR1"}}})";
    return response;
  };
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGUSR1)));
}

TEST_F(CriRuntime, AHookRunsBeforeTheSignalAndNoLongerThanTheGracePeriod) {
  Pod pod = SimplePod("u");
  pod.containers[0].pre_stop = ExecAction{{"sync"}};
  ASSERT_TRUE(bed_.Run(pod));
  bed_.calls->on_exec_sync = [&](const api::ExecSyncRequest& request) {
    EXPECT_THAT(containerd().signals, IsEmpty());
    EXPECT_EQ(request.cmd(0), "sync");
    EXPECT_EQ(request.timeout(), 30);
    return api::ExecSyncResponse();
  };
  runtime().StopContainer("u", "main", seconds(30));
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGTERM)));
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(30));
  runtime().StopContainer("u", "main", milliseconds(20));
  EXPECT_EQ(containerd().signals.size(), 1U);
  EXPECT_EQ(bed_.Await<ContainerExited>("u", milliseconds(100)), nullptr);
  EXPECT_THAT(containerd().signals, Contains(Pair(1001, SIGTERM)));
}

TEST_F(CriRuntime, AnEndThatTheRuntimeHasNotNoticedYetIsAskedForAgain) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().slow_to_notice = true;
  containerd().Exit("main", 7);
  EXPECT_EQ(bed_.Await<ContainerExited>("u", milliseconds(30)), nullptr);
  containerd().slow_to_notice = false;
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 7);
}

TEST_F(CriRuntime, AnEndThatTheKernelTellsIsNotKeptBackByAHangingRuntime) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  bed_.calls->Hang();
  containerd().Exit("main", 7);
  const auto* exited = bed_.Await<ContainerExited>("u", seconds(5));
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 7);
  EXPECT_EQ(exited->exit.signal, 0);
}

TEST_F(CriRuntime, AnOomKillIsKnownFromTheGroupOrTheRuntime) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  bed_.cgroups.SetOomKills(kGroup + "/run-2", 1);
  containerd().Exit("main", 137);
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  containerd().At("main").reason = "OOMKilled";
  containerd().Exit("main", 137);
  exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
}

TEST_F(CriRuntime, AProcessThatTheRuntimeDoesNotTellIsFoundInItsGroup) {
  containerd().tells_pid = false;
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(Pair(1000, SIGTERM)));
}

TEST_F(CriRuntime, AContainerThatEndedBeforeItWasLookedAtHasStartedAndEnded) {
  bed_.calls->on_start_container = [&](const api::StartContainerRequest& request) {
    auto& run = containerd().runs.at(request.container_id());
    run.state = api::CONTAINER_EXITED;
    run.exit_code = 5;
    return api::StartContainerResponse();
  };
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 5);
}

TEST_F(CriRuntime, AContainerThatIsKilledWhileTheRuntimeHangsInItsStartIsGivenUp) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  bed_.calls->Hang();
  runtime().StartContainer("u", "main", 0, 0);
  bed_.events.Settle(runtime());
  runtime().KillContainer("u", "main");
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("killed while it was being started"));
  bed_.calls->Resume();
  bed_.calls->Deliver();
  bed_.events.Settle(runtime());
  EXPECT_THAT(containerd().runs, IsEmpty()) << "what comes of it later is removed";
}

TEST_F(CriRuntime, CommandsAboutWhatIsNotThereSayHowThingsStand) {
  runtime().StartContainer("u", "main", 0, 0);
  EXPECT_NE(bed_.Await<ContainerStartFailed>("u"), nullptr);
  runtime().StopContainer("u", "main", seconds(1));
  runtime().KillContainer("u", "main");
  runtime().RemoveContainer("u", "main", 0);
  EXPECT_TRUE(bed_.Remove("u"));
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  EXPECT_TRUE(bed_.Create(SimplePod("u"))) << "it stands";
  runtime().StartContainer("u", "main", 1, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "the container runs already");
  runtime().StartContainer("u", "other", 0, 0);
  failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "the pod has no such container");
}

TEST_F(CriRuntime, IsReadyWhenTheRuntimeSaysSo) {
  EXPECT_TRUE(runtime().Ready());
  bed_.calls->on_status = [](const auto&) {
    api::StatusResponse response;
    auto& condition = *response.mutable_status()->add_conditions();
    condition.set_type("RuntimeReady");
    condition.set_reason("NotYet");
    condition.set_message("warming up");
    return response;
  };
  EXPECT_EQ(runtime().Ready().error().message,
            "the container runtime is not ready: NotYet: warming up");
  bed_.calls->on_version = nullptr;
  EXPECT_EQ(runtime().Ready().error().code, ErrorCode::kUnavailable);
}

TEST_F(CriRuntime, WaitsForAHangingRuntimeOnlyBriefly) {
  bed_.calls->Hang();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(runtime().Ready().error().message, "the container runtime has not answered yet");
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(2));
  bed_.calls->Resume();
  EXPECT_TRUE(runtime().Ready()) << "the first question was answered";
}

TEST_F(CriRuntime, ARestartedAgentFindsItsPodsAndWhatBecameOfThem) {
  Pod pod = SimplePod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "other";
  ASSERT_TRUE(bed_.Run(pod));
  runtime().StartContainer("u", "other", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  bed_.Open();
  containerd().Exit("other", 4);
  const auto listed = runtime().List();
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ((*listed)[0].pod, pod);
  const auto& records = (*listed)[0].containers;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].name, "main");
  EXPECT_FALSE(records[0].exit);
  EXPECT_EQ(records[1].name, "other");
  ASSERT_TRUE(records[1].exit);
  EXPECT_EQ(records[1].exit->exit_code, 4);
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, SandboxesOfOthersAreNeitherListedNorTouched) {
  containerd().boxes["foreign"].config.mutable_metadata()->set_uid("f");
  auto& other_agent = containerd().boxes["other-agent"].config;
  other_agent.mutable_metadata()->set_uid("u");
  (*other_agent.mutable_annotations())[std::string(kPodAnnotation)] = "u";
  (*other_agent.mutable_annotations())[std::string(kRootAnnotation)] = "/elsewhere";
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_THAT(*listed, IsEmpty());
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  ASSERT_TRUE(bed_.Remove("u"));
  EXPECT_EQ(containerd().boxes.size(), 2U);
}

TEST_F(CriRuntime, WhatAnInterruptedAgentLeftIsRemovedAtTheStart) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  ASSERT_TRUE(pod_host::MakeFolders(bed_.root() + "/pods/half-made/volumes/v"));
  ASSERT_TRUE(pod_host::MakeFolders(bed_.root() + "/logs/default_pod_half-made/c"));
  ASSERT_TRUE(pod_host::MakeFolders(bed_.root() + "/pods/.gone-x-1/deep"));
  bed_.known.clear();  // its description cannot be read any more
  bed_.Open();
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  EXPECT_THAT(*listed, IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("the pod is ended and removed")));
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  const auto all_gone = [&] {
    return pod_host::NamesIn(bed_.root() + "/pods")->empty() &&
           pod_host::NamesIn(bed_.root() + "/logs")->empty();
  };
  while (!all_gone() && std::chrono::steady_clock::now() < deadline) {
    (void)bed_.Await<PodRemoved>("nobody", milliseconds(5));
  }
  bed_.ExpectNothingLeft("u");
  EXPECT_FALSE(containerd().processes.Runs(1000));
}

TEST_F(CriRuntime, AListThatIsNotAnsweredIsAnErrorThatMayBeTriedAgain) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  bed_.Open();
  bed_.calls->on_container_status = [](const auto&) -> Result<api::ContainerStatusResponse> {
    return Fail(ErrorCode::kUnavailable, "not yet");
  };
  EXPECT_EQ(runtime().List().error().message, "not yet");
  bed_.calls->on_container_status = nullptr;
  bed_.Open();
  EXPECT_EQ(runtime().List()->size(), 1U);
}

TEST_F(CriRuntime, ALostSandboxEndsItsContainersAndIsMadeAnew) {
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().boxes.begin()->second.ready = false;
  bed_.calls->on_create_container = [](const auto&) -> Result<api::CreateContainerResponse> {
    return Fail(ErrorCode::kInternal, "the sandbox is not running");
  };
  // Whatever fails makes it look.
  Pod other = SimplePod("v");
  ASSERT_TRUE(bed_.Create(other));
  runtime().StartContainer("v", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  auto calls = containerd().Connect();
  bed_.calls->on_create_container = calls->on_create_container;
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  const auto& box = containerd().boxes.at(containerd().At("main").sandbox);
  EXPECT_EQ(box.config.metadata().attempt(), 1U);
  EXPECT_EQ(containerd().boxes.size(), 2U) << "the old one is gone";
}

TEST_F(CriRuntime, ASandboxThatWasFoundDeadIsMadeAnewForTheNextStart) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().Exit("main", 0);
  containerd().boxes.begin()->second.ready = false;
  bed_.Open();
  const auto listed = runtime().List();
  ASSERT_EQ(listed->size(), 1U);
  ASSERT_TRUE((*listed)[0].containers[0].exit);
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  EXPECT_EQ(containerd().boxes.size(), 1U);
  EXPECT_EQ(containerd().runs.size(), 1U);
}

TEST_F(CriRuntime, StrangersOfItsOwnAreRemovedByTheNextListing) {
  bed_.relist_period = milliseconds(10);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  const FakeContainerd::Box box = containerd().boxes.begin()->second;
  const std::string id = containerd().boxes.begin()->first;
  containerd().boxes["stale"] = box;
  containerd().boxes["stale"].config.mutable_metadata()->set_attempt(7);
  containerd().boxes["unknown"] = box;
  containerd().boxes["unknown"].config.mutable_metadata()->set_uid("x");
  containerd().runs["strange"] = {.sandbox = id, .config = containerd().At("main").config};
  containerd().runs["strange"].config.mutable_metadata()->set_attempt(9);
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while ((containerd().boxes.size() > 1 || containerd().runs.size() > 1) &&
         std::chrono::steady_clock::now() < deadline) {
    (void)bed_.Await<PodRemoved>("nobody", milliseconds(5));
  }
  EXPECT_EQ(containerd().boxes.size(), 1U);
  EXPECT_EQ(containerd().runs.size(), 1U);
  EXPECT_TRUE(containerd().processes.Runs(1000));
}

}  // namespace
}  // namespace jettison::cri
