#include "agent/workers/pod_ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

Pod TwoContainers() {
  Pod pod;
  pod.uid = "u";
  pod.init_containers.resize(1);
  pod.init_containers[0].name = "side";
  pod.init_containers[0].restart_policy = RestartPolicy::kAlways;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  return pod;
}

// A pod whose containers run, with a runtime that carries out commands and reports nothing.
class PodEndingTest : public testing::Test {
 protected:
  explicit PodEndingTest(Pod pod = TwoContainers()) : pod_(std::move(pod)) {
    for (ContainerLifecycle& run : runs_.all()) {
      run.BeginStart();
      run.Started(start_);
    }
  }
  void Exit(const char* name) { runs_.Find(name, 0)->Exited({.exit_code = 0}); }
  [[nodiscard]] PodEnding::Target Target() {
    return {.uid = pod_.uid, .runs = runs_, .runtime = runtime_};
  }
  // Whether the kill has just become late.
  bool At(Duration time) { return ending_.Advance(Target(), start_ + time); }

  const Instant start_{std::chrono::hours(1)};
  Pod pod_;
  ContainerRuns runs_{pod_, kRestartRule};
  FakeRuntime runtime_;
  PodEnding ending_{seconds(20), true, start_};
};

TEST_F(PodEndingTest, SideCarsAreAskedToEndAfterTheRegularContainers) {
  At(seconds(0));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop u/main 20s"));
  Exit("main");
  At(seconds(5));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop u/side 15s"));
  Exit("side");
  At(seconds(6));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove u"));
  EXPECT_EQ(ending_.step(), PodEnding::Step::kRemoving);
  EXPECT_EQ(ending_.removing_since(), start_ + seconds(6));
}

Pod HooksAndHogs() {
  Pod pod;
  pod.uid = "u";
  for (const char* name : {"hooked", "hog", "hooked-too", "plain"}) {
    pod.containers.emplace_back().name = name;
  }
  pod.containers[0].pre_stop = ExecAction{.command = {"/drain"}};
  pod.containers[2].pre_stop = ExecAction{.command = {"/drain"}};
  return pod;
}

class PodWithHooksEndingTest : public PodEndingTest {
 protected:
  PodWithHooksEndingTest() : PodEndingTest(HooksAndHogs()) {}
};

TEST_F(PodWithHooksEndingTest, NoContainerWaitsForTheHookOfAnother) {
  At(seconds(0));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop u/hog 20s", "stop u/plain 20s",
                                                   "stop u/hooked 20s", "stop u/hooked-too 20s"));
}

TEST_F(PodEndingTest, WhatOutlivesItsKillIsKilledAgainAndToldToBeLateOnce) {
  At(seconds(0));
  runtime_.TakeCommands();
  EXPECT_TRUE(ending_.AwaitsKill());
  EXPECT_FALSE(At(seconds(20)));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill u/side", "kill u/main"));
  EXPECT_FALSE(ending_.AwaitsKill());
  EXPECT_EQ(ending_.NextDeadline(runs_), start_ + seconds(21));
  EXPECT_TRUE(At(seconds(30)));
  EXPECT_FALSE(At(seconds(31)));
  ASSERT_TRUE(ending_.SurvivalOf(runs_));
  EXPECT_EQ(ending_.SurvivalOf(runs_)->since, start_ + seconds(20));
}

TEST_F(PodEndingTest, WhatWasKilledGivesBackWhatItHoldsUnlessItCompleted) {
  At(seconds(19));
  EXPECT_FALSE(ending_.removing_since()) << "it may still take more";
  At(seconds(20));
  EXPECT_EQ(ending_.removing_since(), start_ + seconds(20));
  At(seconds(25));
  EXPECT_EQ(ending_.removing_since(), start_ + seconds(20)) << "a survivor is killed again";
  Exit("main");
  Exit("side");
  At(seconds(26));
  EXPECT_EQ(ending_.removing_since(), start_ + seconds(26));

  ending_ = PodEnding(seconds(20), false, start_);
  At(seconds(20));
  EXPECT_FALSE(ending_.removing_since()) << "its files stay";
}

TEST_F(PodEndingTest, WhatCompletedStaysUntilNobodyWantsItEither) {
  ending_ = PodEnding(seconds(20), false, start_);
  Exit("main");
  Exit("side");
  At(seconds(1));
  EXPECT_EQ(ending_.step(), PodEnding::Step::kFinished);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  ending_.RemoveToo(Target(), start_ + seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove u"));
}

}  // namespace
}  // namespace jettison
