// How containers end.
#include <gmock/gmock.h>

#include <csignal>

#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::string kGroup = "kubepods/burstable/podu";

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
  ASSERT_NE(exited, nullptr) << "reported without the runtime";
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_EQ(exited->exit.signal, SIGKILL);
  EXPECT_EQ(exited->exit.finished, Instant(seconds(100)));
  runtime().RemovePod("u");
  EXPECT_EQ(bed_.Await<PodRemoved>("u", milliseconds(50)), nullptr) << "not before its answer";
  bed_.calls->Resume();
  bed_.calls->Deliver();
  ASSERT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, AContainerWhoseProcessCannotBeOpenedIsKilledByItsGroup) {
  containerd().processes.has_descriptors = false;
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  bed_.calls->Hang();
  runtime().StopContainer("u", "main", seconds(1));
  runtime().KillContainer("u", "main");
  EXPECT_THAT(bed_.cgroups.kills(), Contains(kGroup + "/run-2"));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr) << "the end is noticed without a descriptor";
  EXPECT_EQ(exited->exit.exit_code, 137);
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

}  // namespace
}  // namespace jettison::cri
