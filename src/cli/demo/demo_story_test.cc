#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/demo.h"
#include "cli/demo/demo_test_snapshots.h"

namespace jettison {
namespace {

using demo_test::Calm;
using demo_test::Evict;
using demo_test::PodIn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A demo whose snapshots are written by the test.
struct Rehearsal {
  DemoStory story;
  Snapshot now = Calm(0);

  // The gate that is open then.
  std::string_view Step(double seconds) {
    now.at = demo_test::At(seconds);
    story.GoOn(now);
    return story.OpenGate();
  }
  bool EndsAt(double seconds) {
    Step(seconds);
    return story.finished();
  }
};

TEST(DemoStory, TheFirstGateOpensWhenEverybodyHasRunForAWhile) {
  Rehearsal rehearsal;
  PodIn(rehearsal.now, "web").activity = PodActivity::kStarting;
  EXPECT_EQ(rehearsal.Step(0), "");
  EXPECT_EQ(rehearsal.Step(4), "");
  PodIn(rehearsal.now, "web").activity = PodActivity::kRunning;
  EXPECT_EQ(rehearsal.Step(5), "");
  EXPECT_EQ(rehearsal.story.act(), 0U);
  EXPECT_EQ(rehearsal.Step(8), "leaker");
  EXPECT_EQ(rehearsal.story.act(), 1U);
}

TEST(DemoStory, AGateClosesOnTheEvictionAndTheNextOpensAfterTheCleanUp) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  Evict(PodIn(rehearsal.now, "leaker"), "memory");
  EXPECT_EQ(rehearsal.Step(6), "");
  EXPECT_EQ(rehearsal.Step(8), "");  // it is still ending
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kWaiting;
  EXPECT_EQ(rehearsal.Step(9), "");
  EXPECT_EQ(rehearsal.Step(11), "filler");
}

// Goes through all acts; the last eviction is at 20 s.
void PlayActs(Rehearsal& rehearsal) {
  double seconds = 0;
  rehearsal.Step(seconds);
  rehearsal.Step(seconds += 3);
  for (const DemoPod& act : DemoActs()) {
    Evict(PodIn(rehearsal.now, act.name), "");
    rehearsal.Step(seconds += 1);
    PodIn(rehearsal.now, act.name).activity = PodActivity::kWaiting;
    rehearsal.Step(seconds += 1);
    rehearsal.Step(seconds += 2);
  }
}

TEST(DemoStory, TheEndIsWhenEverybodyIsBackAndTheNodeIsCalm) {
  Rehearsal rehearsal;
  PlayActs(rehearsal);
  EXPECT_EQ(rehearsal.story.act(), DemoActs().size() + 1);
  EXPECT_FALSE(rehearsal.EndsAt(30));
  for (PodView& pod : rehearsal.now.pods) pod.activity = PodActivity::kRunning;
  rehearsal.now.conditions.Set(NodeConditionType::kPidPressure);
  EXPECT_FALSE(rehearsal.EndsAt(32));
  rehearsal.now.conditions = {};
  EXPECT_FALSE(rehearsal.EndsAt(34));
  EXPECT_TRUE(rehearsal.EndsAt(36));
}

TEST(DemoStory, WithPatienceEverythingMayTakeSoManyTimesLonger) {
  Rehearsal rehearsal;
  rehearsal.story = DemoStory(3);
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  EXPECT_EQ(rehearsal.Step(38), "leaker");
  EXPECT_EQ(rehearsal.Step(39), "filler");
  EXPECT_FALSE(rehearsal.EndsAt(56));
  EXPECT_TRUE(rehearsal.EndsAt(168));
}

struct EvictionStep {
  const char* pod;
  const char* message;
  std::optional<NodeConditionType> pressure;
};

std::vector<EvictionStep> GoodEvictions() {
  return {
      {"leaker", "The node was low on resource: memory. ", NodeConditionType::kMemoryPressure},
      {"filler", "The node was low on resource: ephemeral-storage. ",
       NodeConditionType::kDiskPressure},
      {"scratch", "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\". ", {}},
      {"forker", "The node was low on resource: pids. ", NodeConditionType::kPidPressure},
  };
}

// What does not hold where these evictions happen one after the other, pressure lasting from the
// eviction to the clean-up or, where `back_early`, until everybody is back.
std::vector<std::string> Broken(const std::vector<EvictionStep>& steps, bool back_early = false) {
  Rehearsal rehearsal;
  double seconds = 0;
  Snapshot& now = rehearsal.now;
  PodIn(now, "leaker").memory_working_set_bytes = 160 * demo_test::kMiB;
  PodIn(now, "cache").memory_working_set_bytes = 72 * demo_test::kMiB;
  rehearsal.Step(seconds++);
  for (const EvictionStep& step : steps) {
    if (step.pressure) now.conditions.Set(*step.pressure);
    Evict(PodIn(now, step.pod), step.message);
    rehearsal.Step(seconds++);
    PodIn(now, step.pod).activity = PodActivity::kWaiting;
    rehearsal.Step(seconds++);
    if (!back_early) now.conditions = {};
    rehearsal.Step(seconds++);
  }
  for (PodView& pod : now.pods) pod.activity = PodActivity::kRunning;
  rehearsal.Step(seconds++);
  now.conditions = {};
  rehearsal.Step(seconds++);
  std::vector<std::string> broken;
  for (const Expectation& expectation : rehearsal.story.Check()) {
    if (!expectation.held) broken.push_back(expectation.what);
  }
  return broken;
}

TEST(DemoExpectations, HoldWhenTheRightPodsGoForTheRightReasons) {
  EXPECT_THAT(Broken(GoodEvictions()), IsEmpty());
}

TEST(DemoExpectations, AnInnocentThatWasEvictedIsFound) {
  auto steps = GoodEvictions();
  steps.push_back({"web", "The node was low on resource: memory. ", {}});
  EXPECT_THAT(Broken(steps),
              ElementsAre(HasSubstr("no other pod"), HasSubstr("web was never touched")));
}

TEST(DemoExpectations, AWrongReasonIsFound) {
  auto steps = GoodEvictions();
  steps[1].message = "The node was low on resource: inodes. ";
  EXPECT_THAT(Broken(steps), ElementsAre(HasSubstr("filler was evicted for disk space")));
}

TEST(DemoExpectations, NothingHoldsOnANodeThatNeverRan) {
  for (const Expectation& each : DemoStory().Check()) EXPECT_FALSE(each.held) << each.what;
}

}  // namespace
}  // namespace jettison
