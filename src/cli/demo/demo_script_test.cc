#include "cli/demo/demo_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/demo_test_snapshots.h"

namespace jettison {
namespace {

using demo_test::Calm;
using demo_test::Evict;
using demo_test::PodIn;

// A demo whose snapshots are written by the test.
struct Rehearsal {
  DemoScript script;
  DemoHistory history;
  Snapshot now = Calm(0);

  // The gate that is open then.
  std::string_view Step(double seconds) {
    now.at = demo_test::At(seconds);
    history.Record(now);
    script.Advance(now, history);
    return script.OpenGate();
  }
  bool EndsAt(double seconds) {
    Step(seconds);
    return script.finished();
  }
};

TEST(DemoScript, TheFirstGateOpensWhenEverybodyHasRunForAWhile) {
  Rehearsal rehearsal;
  PodIn(rehearsal.now, "web").activity = PodActivity::kStarting;
  EXPECT_EQ(rehearsal.Step(0), "");
  EXPECT_EQ(rehearsal.Step(4), "");
  PodIn(rehearsal.now, "web").activity = PodActivity::kRunning;
  EXPECT_EQ(rehearsal.Step(5), "");
  EXPECT_EQ(rehearsal.script.act(), 0U);
  EXPECT_EQ(rehearsal.Step(8), "leaker");
  EXPECT_EQ(rehearsal.script.act(), 1U);
}

TEST(DemoScript, AGateClosesOnTheEvictionAndTheNextOpensAfterTheCleanUp) {
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

TEST(DemoScript, TheNextGateStaysShutWhileAPodIsOnItsWayBack) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  Evict(PodIn(rehearsal.now, "leaker"), "memory");
  rehearsal.Step(6);
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kWaiting;
  EXPECT_EQ(rehearsal.Step(7), "");
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kStarting;
  EXPECT_EQ(rehearsal.Step(9), "");
  EXPECT_EQ(rehearsal.Step(11), "");
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kRunning;
  EXPECT_EQ(rehearsal.Step(12), "");
  EXPECT_EQ(rehearsal.Step(14), "filler");
}

TEST(DemoScript, AnActThatLeadsNowhereIsGivenUp) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  EXPECT_EQ(rehearsal.Step(14), "leaker");
  EXPECT_EQ(rehearsal.Step(15), "filler");
}

// Goes through all acts; the last eviction is at 20 s.
void PlayActs(Rehearsal& rehearsal) {
  double seconds = 0;
  rehearsal.Step(seconds);
  rehearsal.Step(seconds += 3);
  for (const DemoAct& act : DemoActs()) {
    Evict(PodIn(rehearsal.now, act.pod), "");
    rehearsal.Step(seconds += 1);
    PodIn(rehearsal.now, act.pod).activity = PodActivity::kWaiting;
    rehearsal.Step(seconds += 1);
    rehearsal.Step(seconds += 2);
  }
}

TEST(DemoScript, TheEndIsWhenEverybodyIsBackAndTheNodeIsCalm) {
  Rehearsal rehearsal;
  PlayActs(rehearsal);
  EXPECT_EQ(rehearsal.script.act(), DemoActs().size() + 1);
  EXPECT_FALSE(rehearsal.EndsAt(30));
  for (PodView& pod : rehearsal.now.pods) pod.activity = PodActivity::kRunning;
  rehearsal.now.conditions.Set(NodeConditionType::kPidPressure);
  EXPECT_FALSE(rehearsal.EndsAt(32));
  rehearsal.now.conditions = {};
  EXPECT_FALSE(rehearsal.EndsAt(34));
  EXPECT_TRUE(rehearsal.EndsAt(36));
}

TEST(DemoScript, ItEndsByItself) {
  Rehearsal rehearsal;
  rehearsal.now.pods.clear();
  EXPECT_FALSE(rehearsal.EndsAt(0));
  EXPECT_FALSE(rehearsal.EndsAt(55));
  EXPECT_TRUE(rehearsal.EndsAt(56));
}

TEST(DemoScript, WithPatienceEverythingMayTakeSoManyTimesLonger) {
  Rehearsal rehearsal;
  rehearsal.script = DemoScript(3);
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  EXPECT_EQ(rehearsal.Step(38), "leaker");
  EXPECT_EQ(rehearsal.Step(39), "filler");
  EXPECT_FALSE(rehearsal.EndsAt(56));
  EXPECT_TRUE(rehearsal.EndsAt(168));
}

}  // namespace
}  // namespace jettison
