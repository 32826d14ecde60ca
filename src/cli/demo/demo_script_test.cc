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

  DemoCues Step(double seconds) {
    now.at = demo_test::At(seconds);
    history.Record(now);
    return script.Advance(now, history);
  }
};

TEST(DemoScript, TheFirstGateOpensWhenEverybodyHasRunForAWhile) {
  Rehearsal rehearsal;
  PodIn(rehearsal.now, "web").activity = PodActivity::kStarting;
  EXPECT_FALSE(rehearsal.Step(0).open_gate);
  EXPECT_FALSE(rehearsal.Step(4).open_gate);
  PodIn(rehearsal.now, "web").activity = PodActivity::kRunning;
  EXPECT_FALSE(rehearsal.Step(5).open_gate);
  EXPECT_EQ(rehearsal.script.act(), 0U);
  EXPECT_EQ(rehearsal.Step(8).open_gate, "leaker");
  EXPECT_EQ(rehearsal.script.act(), 1U);
}

TEST(DemoScript, AGateClosesOnTheEvictionAndTheNextOpensAfterTheCleanUp) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3).open_gate, "leaker");
  Evict(PodIn(rehearsal.now, "leaker"), "memory");
  EXPECT_EQ(rehearsal.Step(6).close_gate, "leaker");
  EXPECT_FALSE(rehearsal.Step(8).open_gate);  // it is still ending
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kWaiting;
  EXPECT_FALSE(rehearsal.Step(9).open_gate);
  const DemoCues next = rehearsal.Step(11);
  EXPECT_EQ(next.open_gate, "filler");
  EXPECT_FALSE(next.close_gate);
}

TEST(DemoScript, TheNextGateStaysShutWhileAPodIsOnItsWayBack) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3).open_gate, "leaker");
  Evict(PodIn(rehearsal.now, "leaker"), "memory");
  rehearsal.Step(6);
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kWaiting;
  EXPECT_FALSE(rehearsal.Step(7).open_gate);
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kStarting;
  EXPECT_FALSE(rehearsal.Step(9).open_gate);
  EXPECT_FALSE(rehearsal.Step(11).open_gate);
  PodIn(rehearsal.now, "leaker").activity = PodActivity::kRunning;
  EXPECT_FALSE(rehearsal.Step(12).open_gate);
  EXPECT_EQ(rehearsal.Step(14).open_gate, "filler");
}

TEST(DemoScript, AnActThatLeadsNowhereIsGivenUp) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3).open_gate, "leaker");
  EXPECT_FALSE(rehearsal.Step(14).open_gate);
  const DemoCues next = rehearsal.Step(15);
  EXPECT_EQ(next.close_gate, "leaker");
  EXPECT_EQ(next.open_gate, "filler");
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
  EXPECT_FALSE(rehearsal.Step(30).finished);
  for (PodView& pod : rehearsal.now.pods) pod.activity = PodActivity::kRunning;
  rehearsal.now.conditions.Set(NodeConditionType::kPidPressure);
  EXPECT_FALSE(rehearsal.Step(32).finished);
  rehearsal.now.conditions = {};
  EXPECT_FALSE(rehearsal.Step(34).finished);
  EXPECT_TRUE(rehearsal.Step(36).finished);
}

TEST(DemoScript, ItEndsByItself) {
  Rehearsal rehearsal;
  rehearsal.now.pods.clear();
  EXPECT_FALSE(rehearsal.Step(0).finished);
  EXPECT_FALSE(rehearsal.Step(55).finished);
  EXPECT_TRUE(rehearsal.Step(56).finished);
}

TEST(DemoScript, WithPatienceEverythingMayTakeSoManyTimesLonger) {
  Rehearsal rehearsal;
  rehearsal.script = DemoScript(3);
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3).open_gate, "leaker");
  EXPECT_FALSE(rehearsal.Step(38).open_gate);
  EXPECT_EQ(rehearsal.Step(39).open_gate, "filler");
  EXPECT_FALSE(rehearsal.Step(56).finished);
  EXPECT_TRUE(rehearsal.Step(168).finished);
}

}  // namespace
}  // namespace jettison
