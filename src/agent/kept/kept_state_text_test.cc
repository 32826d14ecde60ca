#include "agent/kept/kept_state_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{hours(24 * 365 * 50)};
constexpr std::size_t kEnough = 1 << 20;

KeptState FullState() {
  KeptState state;
  state.node.conditions = {{.type = NodeConditionType::kMemoryPressure,
                            .status = true,
                            .last_observed = kNow - seconds(3),
                            .changed = kNow - minutes(2)}};
  state.node.thresholds = {
      {.text = "memory.available<100Mi", .first_observed = kNow - seconds(40), .overdue = true}};
  state.node.last_eviction =
      KeptMark{.at = kNow - seconds(5), .available = {{kPressureSignals[0], 9'000}}};
  state.node.wait = KeptWait{.pods = {"u1"},
                             .hard_for = {Resource::kMemory, Resource::kInodes},
                             .deadline = kNow + seconds(25)};
  state.pods = {
      {.name = "default/going",
       .uid = "u1",
       .evictions = 2,
       .next_delay = seconds(20),
       .started = kNow - hours(1),
       .ending = KeptEnding{.reason = "Evicted",
                            .message = "low \"on\" memory\n\xc3\xa9",
                            .disruption_target = true,
                            .kill_at = kNow + seconds(1)},
       .runs = {{.container = "c",
                 .attempt = 3,
                 .next_delay = seconds(40),
                 .restart_at = kNow + seconds(19)}}},
      {.name = "default/out",
       .uid = "u2",
       .evictions = 1,
       .next_delay = seconds(20),
       .absence =
           KeptAbsence{.reason = "Evicted", .message = "m", .comes_back_at = kNow + seconds(7)}},
      {.name = "default/done", .uid = "u4", .ended_well = false}};
  state.soft = {.granted = {kNow - minutes(40), kNow - seconds(5)},
                .spared = {{.uid = "u3", .why = "needs 2", .until = kNow + seconds(55)}}};
  return state;
}

// The state as an agent that starts `later` reads it.
KeptState Again(const KeptState& state, Duration later, Duration wall_step, bool rebooted = false) {
  FakeClock clock(kNow);
  const std::string text = FormatKeptState(state, clock, kEnough).text;
  clock.Advance(later);
  clock.StepWall(wall_step);
  if (rebooted) clock.SetBoot("next");
  const auto reading = ParseKeptState(text, clock);
  EXPECT_TRUE(reading) << reading.error().message;
  EXPECT_THAT(reading->faults, IsEmpty());
  return reading ? reading->state : KeptState{};
}

TEST(KeptState, IsTheSameAgainHoweverTheWallClockWasSet) {
  for (const auto step : {hours(0), hours(1), hours(-1), hours(24 * 3650)}) {
    EXPECT_EQ(Again(FullState(), seconds(30), step), FullState()) << step.count();
  }
  EXPECT_EQ(Again({}, seconds(1), hours(0)), KeptState{});
}

TEST(KeptState, ATimeWithoutAnAgentCountsOnlyAsFarAsARestartTakesIt) {
  struct Row {
    Duration gap;
    std::optional<Duration> met_for;  // absent: it begins anew
  };
  const KeptState state = FullState();  // its threshold was met for 40 s
  for (const Row& row :
       {Row{seconds(0), seconds(40)}, Row{seconds(30), seconds(70)}, Row{seconds(31), seconds(70)},
        Row{minutes(5), seconds(70)}, Row{minutes(5) + seconds(1), {}}, Row{hours(24 * 999), {}}}) {
    const KeptNode node = Again(state, row.gap, hours(0)).node;
    ASSERT_THAT(node.thresholds, SizeIs(row.met_for ? 1 : 0)) << row.gap.count();
    EXPECT_EQ(node.conditions, state.node.conditions);
    EXPECT_EQ(node.last_eviction, state.node.last_eviction);
    if (!row.met_for) continue;
    EXPECT_EQ(Elapsed(node.thresholds[0].first_observed, kNow + row.gap), *row.met_for)
        << row.gap.count();
    EXPECT_TRUE(node.thresholds[0].overdue);
  }
}

TEST(KeptState, AfterABootOnlyAbsencesAndOutcomesStay) {
  const KeptState state = Again(FullState(), minutes(1), hours(0), true);
  EXPECT_EQ(state.node, KeptNode{});
  EXPECT_EQ(state.soft.granted, FullState().soft.granted) << "the rate belongs to the node";
  EXPECT_THAT(state.soft.spared, IsEmpty());
  ASSERT_THAT(state.pods, SizeIs(2));
  EXPECT_EQ(state.pods[1].ended_well, false);
  EXPECT_EQ(state.pods[0].name, "default/out");
  EXPECT_EQ(state.pods[0].absence->comes_back_at, kNow + seconds(7));
  EXPECT_EQ(state.pods[0].next_delay, seconds(20));
  const KeptState back = Again(FullState(), minutes(1), hours(-1), true);
  EXPECT_EQ(back.pods[0].absence->comes_back_at, kNow + minutes(1) + seconds(7))
      << "no time has passed according to real time";
}

TEST(KeptState, WhatHasBeenIsNeverToCome) {
  const auto reading = ParseKeptState(
      R"({"version":1,"written":{"at":"2020-01-01T00:00:00Z","bootID":"boot","sinceBoot":"438000h"},
          "node":{"conditions":[{"type":"MemoryPressure","status":true,"changed":"-5h",
                                 "lastObserved":"-2562047h"}],
                  "thresholds":[{"threshold":"t","firstObserved":"-1s","overdue":false}]}})",
      FakeClock(kNow));
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_THAT(reading->faults, IsEmpty());
  EXPECT_EQ(reading->state.node.conditions.at(0).changed, kNow);
  EXPECT_EQ(reading->state.node.conditions.at(0).last_observed, kNow);
  EXPECT_EQ(reading->state.node.thresholds.at(0).first_observed, kNow);
}

TEST(KeptState, AFaultyPartIsLeftOutAndTheOthersStay) {
  const auto reading = ParseKeptState(
      R"({"version":1,"written":{"at":"2020-01-01T00:00:00Z","bootID":"boot","sinceBoot":"1h"},
          "node":{"conditions":[{"type":"Bored","status":true,"changed":"1s"},7,
                                {"type":"PIDPressure","status":1,"changed":"1s"}],
                  "thresholds":[{"threshold":"t","firstObserved":"soon","overdue":false}],
                  "lastEviction":{"at":"1s","available":{"memory.available":1}},
                  "wait":{"deadline":"1s","pods":[5]}},
          "softEvictions":{"granted":[5,"soon","5s"],"spared":[{"uid":"u"}]},
          "pods":[{"name":"default/a","uid":"u","evictions":1,"nextDelay":"20s"},
                  {"name":"default/b"},null,
                  {"name":"default/c","uid":"u","evictions":-1,"nextDelay":"20s"},
                  {"name":"default/d","uid":"u","evictions":1,"nextDelay":"20s","ending":{}},
                  {"name":"default/e","uid":"u","evictions":1,"nextDelay":"20s","runs":[{}]}]})",
      FakeClock(kNow));
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_THAT(reading->faults, SizeIs(3 + 1 + 1 + 1 + 3 + 5));
  EXPECT_THAT(reading->state.soft.granted, SizeIs(1));
  ASSERT_THAT(reading->state.pods, SizeIs(1));
  EXPECT_EQ(reading->state.pods[0].name, "default/a");
}

TEST(KeptState, WhatIsNoSuchTextIsAnError) {
  for (const char* text :
       {"", "{", "[]", "{}", "null", R"({"version":1})", R"({"version":1,"written":7})",
        R"({"version":2,"written":{"at":"2020-01-01T00:00:00Z","bootID":"b","sinceBoot":"1h"}})"}) {
    EXPECT_FALSE(ParseKeptState(text, FakeClock(kNow))) << text;
  }
}

TEST(KeptState, WhereThereIsNoRoomPodsThatAreOutComeFirst) {
  KeptState state;
  for (int i = 0; i < 50; ++i) {
    state.pods.push_back({.name = "default/back" + std::to_string(i), .uid = "u", .evictions = 1});
  }
  state.pods.push_back(FullState().pods[1]);
  FakeClock clock(kNow);
  constexpr std::size_t kRoom = 1000;
  const KeptStateText text = FormatKeptState(state, clock, kRoom);
  EXPECT_LE(text.text.size(), kRoom);
  EXPECT_GE(text.left_out, 35U);
  const auto reading = ParseKeptState(text.text, clock);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->state.pods.at(0).name, "default/out");
  EXPECT_EQ(reading->state.pods.size() + text.left_out, state.pods.size());
}

}  // namespace
}  // namespace jettison
