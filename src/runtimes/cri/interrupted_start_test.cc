// Starts that are interrupted by the end of the agent or of its client.
#include <gmock/gmock.h>

#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

TEST_F(CriRuntime, AStartThatWasCutShortTakesItsAttemptAndIsNoEnd) {
  Pod pod = SimplePod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "other";
  ASSERT_TRUE(bed_.Run(pod));
  runtime().StartContainer("u", "other", 3, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
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
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  EXPECT_EQ(containerd().runs.size(), 1U) << "what was left of both is removed";
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
}

// containerd goes on with a call whose caller has ended, and refuses to remove the container
// meanwhile.
TEST_F(CriRuntime, TheNextAttemptWaitsUntilTheRuntimeIsDoneWithTheInterruptedOne) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  const std::string interrupted = containerd().runs.begin()->first;
  containerd().At("main").state = api::CONTAINER_CREATED;
  containerd().At("main").pid = 0;
  bed_.Open();
  const auto remove = bed_.calls->on_remove_container;
  bed_.calls->on_remove_container = [](const auto&) -> Result<api::RemoveContainerResponse> {
    return Fail(ErrorCode::kInternal, "container is in starting state, can't be removed");
  };
  ASSERT_TRUE(runtime().List());
  runtime().StartContainer("u", "main", 1, 0);
  EXPECT_EQ(bed_.Await<ContainerStarted>("u", milliseconds(150)), nullptr);
  EXPECT_EQ(bed_.Await<ContainerStartFailed>("u", milliseconds(0)), nullptr);
  EXPECT_THAT(bed_.calls->TakeCalls(), Not(Contains(StartsWith("CreateContainer"))));
  bed_.calls->on_remove_container = remove;
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  EXPECT_FALSE(containerd().runs.contains(interrupted));
  EXPECT_EQ(containerd().runs.size(), 1U);
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, AnInterruptedStartThatCannotBeRemovedFailsTheNextAttemptAfterAWhile) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  containerd().At("main").state = api::CONTAINER_CREATED;
  containerd().At("main").pid = 0;
  bed_.Open();
  const auto remove = bed_.calls->on_remove_container;
  bed_.calls->on_remove_container = [this](const auto&) -> Result<api::RemoveContainerResponse> {
    bed_.clock.Advance(std::chrono::seconds(11));
    return Fail(ErrorCode::kInternal, "container is in starting state, can't be removed");
  };
  ASSERT_TRUE(runtime().List());
  runtime().StartContainer("u", "main", 1, 0);
  const auto* const failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message,
            "remove what is left of an interrupted start: container is in starting state, can't be "
            "removed");
  bed_.calls->on_remove_container = remove;
  runtime().StartContainer("u", "main", 2, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  EXPECT_EQ(containerd().runs.size(), 1U);
}

TEST_F(CriRuntime, ATaskThatAStartLeftBehindIsTakenAwayWithItsContainer) {
  ASSERT_TRUE(bed_.Run(SimplePod("u")));
  const std::string id = containerd().runs.begin()->first;
  containerd().At("main").state = api::CONTAINER_EXITED;
  containerd().At("main").pid = 0;
  containerd().left_tasks.insert(id);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  (void)bed_.Await<PodReady>("nobody", milliseconds(50));
  EXPECT_FALSE(containerd().runs.contains(id));
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("DeleteTaskIn k8s.io " + id));
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.ExpectNothingLeft("u");
}

}  // namespace
}  // namespace jettison::cri
