#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/workers/container_runs.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Container ContainerNamed(const char* name) {
  Container container;
  container.name = name;
  return container;
}

class ActionsForTest : public testing::Test {
 protected:
  PodActions Ask(bool initialized = false) {
    return ActionsFor(runs_, RestartPolicy::kNever, initialized, now_);
  }
  std::vector<std::string> Starts(const PodActions& actions) {
    std::vector<std::string> names;
    for (const ContainerLifecycle* run : actions.start) names.push_back(run->spec().name);
    return names;
  }
  void Run(const char* name) {
    for (ContainerLifecycle& run : runs_.all()) {
      if (run.spec().name != name) continue;
      run.BeginStart();
      run.Started(now_);
    }
  }
  void Exit(const char* name, int code) {
    runs_.Find(name, 0)->Exited({.exit_code = code, .started = now_, .finished = now_});
  }

  Instant now_{std::chrono::hours(1)};
  Pod pod_ = [] {
    Pod pod;
    pod.init_containers = {ContainerNamed("side"), ContainerNamed("init")};
    pod.init_containers[0].restart_policy = RestartPolicy::kAlways;
    pod.containers = {ContainerNamed("one"), ContainerNamed("two")};
    return pod;
  }();
  ContainerRuns runs_{pod_, kRestartRule};
};

TEST_F(ActionsForTest, OneInitContainerStartsAfterTheOtherAndTheRegularOnesTogether) {
  EXPECT_THAT(Starts(Ask()), ElementsAre("side"));
  Run("side");
  EXPECT_THAT(Starts(Ask()), ElementsAre("init"));
  Run("init");
  EXPECT_THAT(Starts(Ask()), IsEmpty());
  Exit("init", 0);
  const PodActions actions = Ask();
  EXPECT_TRUE(actions.initialized);
  EXPECT_THAT(Starts(actions), ElementsAre("one", "two"));
}

TEST_F(ActionsForTest, AnInitContainerThatFailedForGoodEndsThePod) {
  Run("side");
  Run("init");
  Exit("init", 1);
  const PodActions actions = Ask();
  EXPECT_FALSE(actions.initialized);
  EXPECT_EQ(actions.ends_well, false);
}

TEST_F(ActionsForTest, ThePodHasEndedWhenItsRegularContainersHave) {
  for (const char* name : {"side", "one", "two"}) Run(name);
  Exit("one", 0);
  EXPECT_EQ(Ask(true).ends_well, std::nullopt);
  Exit("two", 0);
  EXPECT_EQ(Ask(true).ends_well, true);
}

TEST_F(ActionsForTest, ASideCarThatEndedStartsAgainUnderAnyPolicyWhenItsBackOffIsOver) {
  for (const char* name : {"side", "one", "two"}) Run(name);
  Exit("side", 1);
  EXPECT_THAT(Starts(Ask(true)), ElementsAre("side")) << "the first time at once";
  EXPECT_EQ(NextRestartAt(runs_, RestartPolicy::kNever, true), now_);
}

}  // namespace
}  // namespace jettison
