// How containers start.
#include <gmock/gmock.h>

#include <csignal>

#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(CriRuntime, ImagesAreFetchedAsTheirPolicySays) {
  Pod pod = SimplePod("u");
  containerd().image_present = false;
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  const auto* failed = StartFails(pod);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message,
            "Container image \"bed.local/tiny:1\" is not present with pull "
            "policy of Never");
  EXPECT_EQ(failed->failure, StartFailure::kImageNeverPull);
  EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(HasSubstr("PullImage"))));
  ASSERT_TRUE(bed_.Remove("u"));

  pod.containers[0].image_pull_policy = PullPolicy::kIfNotPresent;
  bed_.calls->on_pull_image = [&](const auto&) -> Result<api::PullImageResponse> {
    return Fail(ErrorCode::kUnavailable, "no such host");
  };
  failed = StartFails(pod);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message, "Failed to pull image \"bed.local/tiny:1\": no such host");
  EXPECT_EQ(failed->failure, StartFailure::kImagePull);
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
  EXPECT_EQ(failed->error.message, "exec: no such file");
  EXPECT_EQ(failed->failure, StartFailure::kRun);
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
  EXPECT_EQ(failed->error.message, "it took too long");
  EXPECT_EQ(failed->failure, StartFailure::kCreate);
  bed_.events.Settle(runtime());
  EXPECT_THAT(containerd().runs, IsEmpty());
}

TEST_F(CriRuntime, ANonsenseAnswerIsAnErrorThatSaysSo) {
  bed_.calls->on_create_container = [](const auto&) { return api::CreateContainerResponse(); };
  const auto* failed = StartFails(SimplePod("u"));
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("returned no ID"));
  bed_.calls->on_image_status = [](const auto&) {
    api::ImageStatusResponse response;
    response.mutable_image();
    return response;
  };
  runtime().StartContainer("u", "main", 1, 0);
  failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("gave no ID of image"));
  EXPECT_EQ(failed->failure, StartFailure::kImageInspect);
  bed_.calls->on_run_pod_sandbox = [](const auto&) { return api::RunPodSandboxResponse(); };
  runtime().CreatePod(kernel::PlainPlan(SimplePod("v")));
  const auto* pod_failed = bed_.Await<PodFailed>("v");
  ASSERT_NE(pod_failed, nullptr);
  EXPECT_THAT(pod_failed->error.message, HasSubstr("returned no ID"));
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
  EXPECT_THAT(containerd().runs, IsEmpty()) << "if it appears later, it is removed";
}

}  // namespace
}  // namespace jettison::cri
