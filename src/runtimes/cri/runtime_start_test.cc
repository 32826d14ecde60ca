#include <gmock/gmock.h>

#include <csignal>

#include "ports/fakes/fake_disk_thread.h"
#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using namespace testing;
using std::chrono::milliseconds;

// How containers start.

TEST_F(CriRuntime, ImagesAreFetchedAsTheirPolicySays) {
  Pod pod = SimplePod("u");
  containerd().image_present = false;
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  auto failed = StartFails(pod);
  EXPECT_EQ(failed.error.message,
            "Container image \"bed.local/tiny:1\" is not present with pull "
            "policy of Never");
  EXPECT_EQ(failed.failure, StartFailure::kImageNeverPull);
  EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(HasSubstr("PullImage"))));
  ASSERT_TRUE(bed_.Remove("u"));

  pod.containers[0].image_pull_policy = PullPolicy::kIfNotPresent;
  bed_.calls->on_pull_image = [&](const auto&) -> Result<api::PullImageResponse> {
    return Fail(ErrorCode::kUnavailable, "no such host");
  };
  failed = StartFails(pod);
  EXPECT_EQ(failed.error.message, "Failed to pull image \"bed.local/tiny:1\": no such host");
  EXPECT_EQ(failed.failure, StartFailure::kImagePull);
  bed_.calls->on_pull_image = [&](const auto&) {
    containerd().image_present = true;
    return api::PullImageResponse();
  };
  EXPECT_TRUE(bed_.Start("u", "main", 1));
  ASSERT_TRUE(bed_.Remove("u"));

  pod.containers[0].image_pull_policy = PullPolicy::kAlways;
  (void)bed_.calls->TakeCalls();
  ASSERT_TRUE(bed_.Start(pod));
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("PullImage bed.local/tiny:1"));
}

TEST_F(CriRuntime, AContainerThatCannotBeMadeOrStartedLeavesNoneBehind) {
  bed_.calls->on_start_container = [](const auto&) -> Result<api::StartContainerResponse> {
    return Fail(ErrorCode::kInternal, "exec: no such file");
  };
  auto failed = StartFails(SimplePod("u"));
  EXPECT_EQ(failed.error.message, "exec: no such file");
  EXPECT_EQ(failed.failure, StartFailure::kRun);
  bed_.Settle();
  EXPECT_THAT(containerd().runs, IsEmpty());
  bed_.calls->on_create_container =
      [&](const api::CreateContainerRequest& request) -> Result<api::CreateContainerResponse> {
    containerd().runs["half-made"] = {.sandbox = request.pod_sandbox_id(),
                                      .config = request.config()};
    return Fail(ErrorCode::kDeadlineExceeded, "it took too long");
  };
  ASSERT_TRUE(runtime().List()) << "from now on everything is compared";
  failed = StartFails("u", 1);
  EXPECT_EQ(failed.error.message, "it took too long");
  EXPECT_EQ(failed.failure, StartFailure::kCreate);
  bed_.Settle();
  EXPECT_THAT(containerd().runs, IsEmpty());
}

TEST_F(CriRuntime, WhatMustNotRunAsRootAndWouldIsNotStarted) {
  Pod pod = SimplePod("u");
  pod.security_context.run_as_non_root = true;
  auto failed = StartFails(pod);
  EXPECT_THAT(failed.error.message, HasSubstr("runAsNonRoot and image will run as root"));
  EXPECT_THAT(containerd().runs, IsEmpty());
}

TEST_F(CriRuntime, AContainerThatIsKilledWhileTheRuntimeHangsInItsStartIsGivenUp) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  bed_.calls->Hang();
  runtime().StartContainer("u", "main", 0, 0);
  bed_.Settle();
  runtime().KillContainer("u", "main");
  const auto& failed = bed_.Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message, HasSubstr("killed while it was being started"));
  bed_.calls->Resume();
  bed_.calls->Deliver();
  bed_.Settle();
  EXPECT_THAT(containerd().runs, IsEmpty()) << "if it appears later, it is removed";
}

// Starts that are interrupted by the end of the agent or of its client.

TEST_F(CriRuntime, AStartThatWasCutShortTakesItsAttemptAndIsNoEnd) {
  (void)bed_.RunTwo(3);
  // One was created and never started; the start of the other failed when its client ended.
  containerd().At("main").state = api::CONTAINER_CREATED;
  containerd().At("main").pid = 0;
  containerd().At("other").state = api::CONTAINER_EXITED;
  containerd().At("other").pid = 0;
  containerd().At("other").exit_code = 128;
  bed_.Open();
  const auto listed = runtime().List();
  ASSERT_EQ(listed->size(), 1U);
  ASSERT_EQ(listed->front().containers.size(), 2U);
  for (const ContainerRecord& record : listed->front().containers) {
    EXPECT_TRUE(record.never_ran) << record.name;
    EXPECT_FALSE(record.exit) << record.name;
    EXPECT_EQ(record.attempt, record.name == "main" ? 0 : 3);
  }
  ASSERT_TRUE(bed_.Start("u", "main", 1));
  EXPECT_EQ(containerd().runs.size(), 1U) << "what was left of both is removed";
  bed_.TakeDown("u");
}

// containerd goes on with a call whose caller has ended, and refuses to remove the container
// meanwhile.
TEST_F(CriRuntime,
       TheNextAttemptWaitsUntilTheRuntimeIsDoneWithTheInterruptedOneOrFailsAfterAWhile) {
  for (const bool ends : {false, true}) {
    SCOPED_TRACE(ends);
    ASSERT_TRUE(bed_.Start(SimplePod("u")));
    const std::string interrupted = containerd().runs.begin()->first;
    containerd().At("main").state = api::CONTAINER_CREATED;
    containerd().At("main").pid = 0;
    bed_.Open();
    const auto remove = bed_.calls->on_remove_container;
    bed_.calls->on_remove_container = [this,
                                       ends](const auto&) -> Result<api::RemoveContainerResponse> {
      if (!ends) bed_.clock.Advance(std::chrono::seconds(11));
      return Fail(ErrorCode::kInternal, "container is in starting state, can't be removed");
    };
    ASSERT_TRUE(runtime().List());
    runtime().StartContainer("u", "main", 1, 0);
    if (ends) {
      EXPECT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(150)), nullptr);
      EXPECT_EQ(bed_.Await<ContainerStartFailed>("u", milliseconds(0)), nullptr);
    } else {
      EXPECT_EQ(bed_.Need<ContainerStartFailed>("u").error.message,
                "remove what is left of an interrupted start: container is in starting state, "
                "can't be removed");
    }
    EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(StartsWith("CreateContainer"))));
    bed_.calls->on_remove_container = remove;
    if (!ends) runtime().StartContainer("u", "main", 2, 0);
    ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
    EXPECT_FALSE(containerd().runs.contains(interrupted));
    EXPECT_EQ(containerd().runs.size(), 1U);
    bed_.TakeDown("u");
  }
}

TEST_F(CriRuntime, ATaskThatAStartLeftBehindIsTakenAwayWithItsContainer) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  const std::string id = containerd().runs.begin()->first;
  containerd().At("main").state = api::CONTAINER_EXITED;
  containerd().At("main").pid = 0;
  containerd().left_tasks.insert(id);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  (void)bed_.Await<PodReady>("nobody", milliseconds(50));
  EXPECT_FALSE(containerd().runs.contains(id));
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("DeleteTaskIn k8s.io " + id));
  bed_.TakeDown("u");
}

// Only what is below a volume hangs.
TEST_F(CriRuntime, AContainerThatHasWaitedForTooLongFailsNamingThePath) {
  bed_.disk_thread = std::make_shared<FakeSlowPaths>(bed_.root() + "/dea/sub");
  bed_.path_patience = std::chrono::milliseconds(1);
  bed_.Open();
  Pod pod = SimplePod("u");
  pod.volumes = {{"data", HostPathSource{.path = bed_.root() + "/dea", .type = ""}}};
  pod.containers[0].volume_mounts = {{"data", "/data", "sub", false}};
  ASSERT_TRUE(bed_.Create(pod));
  const auto failed = StartFails("u", 0);
  EXPECT_THAT(failed.error.message, AllOf(HasSubstr("subPath"), HasSubstr("/dea/sub")));
}

}  // namespace
}  // namespace jettison::cri
