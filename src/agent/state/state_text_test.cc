#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/state/agent_state.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{hours(24 * 365 * 50)};

AgentState FullState() {
  AgentState state;
  state.node.conditions = {{.type = NodeConditionType::kMemoryPressure,
                            .status = true,
                            .last_observed = kNow - seconds(3),
                            .changed = kNow - minutes(2)}};
  state.node.thresholds = {
      {.text = "memory.available<100Mi", .first_observed = kNow - seconds(40), .overdue = true}};
  state.node.last_eviction =
      SavedMark{.at = kNow - seconds(5), .available = {{kPressureSignals[0], 9'000}}};
  state.node.wait = SavedWait{.pods = {"u1"}, .hard = true, .deadline = kNow + seconds(25)};
  state.pods = {
      {.name = "default/going",
       .uid = "u1",
       .evictions = 2,
       .next_delay = seconds(20),
       .started = kNow - hours(1),
       .ending = SavedEnding{.reason = "Evicted",
                             .message = "low \"on\" memory\n\xc3\xa9",
                             .disruption_target = true,
                             .kill_at = kNow + seconds(1)}},
      {.name = "default/out",
       .uid = "u2",
       .evictions = 1,
       .next_delay = seconds(20),
       .absence =
           SavedAbsence{.reason = "Evicted", .message = "m", .comes_back_at = kNow + seconds(7)}},
      {.name = "default/done", .uid = "u4", .ended_well = false}};
  state.soft = {.granted = {kNow - minutes(40), kNow - seconds(5)},
                .spared = {{.uid = "u3", .why = "needs 2", .until = kNow + seconds(55)}}};
  state.cluster_evictions = {{.namespace_ = "team",
                              .name = "web-1",
                              .uid = "u-1",
                              .message = "The node was low on \"memory\".\n\xc3\xa9",
                              .disruption_target = false,
                              .grace_seconds = 1,
                              .evicted_at = WallTime(hours(24 * 365 * 50)),
                              .boot_id = "boot",
                              .held_group = "kubepods/burstable/podu-1",
                              .pids_limit = 512}};
  state.images = {{.id = "a", .first_detected = {}},
                  {.id = "b", .first_detected = kNow - hours(2), .last_used = kNow - hours(1)}};
  return state;
}

// The state as an agent that starts `later` reads it.
AgentState Again(const AgentState& state, Duration later, Duration wall_step,
                 bool rebooted = false) {
  FakeClock clock(kNow);
  const std::string text = FormatState(state, clock);
  clock.Advance(later);
  clock.StepWall(wall_step);
  if (rebooted) clock.SetBoot("next");
  auto read = ParseState(text, clock);
  EXPECT_TRUE(read) << read.error().message;
  return std::move(read).value_or(AgentState{});
}

TEST(StateText, IsTheSameAgainHoweverTheWallClockWasSet) {
  for (const auto step : {hours(0), hours(1), hours(-1), hours(24 * 3650)}) {
    EXPECT_EQ(Again(FullState(), seconds(30), step), FullState()) << step.count();
  }
  EXPECT_EQ(Again({}, seconds(1), hours(0)), AgentState{});
}

TEST(StateText, ATimeWithoutAnAgentCountsOnlyAsFarAsARestartTakesIt) {
  struct Row {
    Duration gap;
    std::optional<Duration> met_for;  // absent: it begins anew
  };
  const AgentState state = FullState();  // its threshold was met for 40 s
  for (const Row& row : {Row{seconds(0), seconds(40)}, Row{seconds(30), seconds(70)},
                         Row{seconds(31), {}}, Row{hours(24 * 999), {}}}) {
    const SavedNode node = Again(state, row.gap, hours(0)).node;
    ASSERT_THAT(node.thresholds, SizeIs(row.met_for ? 1 : 0)) << row.gap.count();
    EXPECT_EQ(node.conditions, state.node.conditions);
    EXPECT_EQ(node.last_eviction, state.node.last_eviction);
    if (!row.met_for) continue;
    EXPECT_EQ(Elapsed(node.thresholds[0].first_observed, kNow + row.gap), *row.met_for)
        << row.gap.count();
    EXPECT_TRUE(node.thresholds[0].overdue);
  }
}

TEST(StateText, AfterABootOnlyAbsencesAndOutcomesStay) {
  const AgentState state = Again(FullState(), minutes(1), hours(0), true);
  EXPECT_EQ(state.node, SavedNode{});
  EXPECT_EQ(state.soft.granted, FullState().soft.granted) << "the rate belongs to the node";
  EXPECT_THAT(state.soft.spared, IsEmpty());
  ASSERT_THAT(state.pods, SizeIs(2));
  EXPECT_EQ(state.pods[1].ended_well, false);
  EXPECT_EQ(state.pods[0].name, "default/out");
  EXPECT_EQ(state.pods[0].absence->comes_back_at, kNow + seconds(7));
  EXPECT_EQ(state.pods[0].next_delay, seconds(20));
  EXPECT_EQ(state.cluster_evictions, FullState().cluster_evictions) << "who takes them up looks";
  EXPECT_EQ(state.images, FullState().images);
  const AgentState back = Again(FullState(), minutes(1), hours(-1), true);
  EXPECT_EQ(back.pods[0].absence->comes_back_at, kNow + minutes(1) + seconds(7))
      << "no time has passed according to real time";
}

TEST(StateText, WhatIsNoSuchTextIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", "null", R"({"version":1})", R"({"version":2,"a)"}) {
    EXPECT_FALSE(ParseState(text, FakeClock(kNow))) << text;
  }
}

TEST(StateText, AnImageInUseCountsAsUsedUntilNow) {
  AgentState state;
  state.images = {{.id = "a", .last_used = kNow - hours(1), .in_use = true}};
  const AgentState again = Again(state, minutes(5), hours(0));
  EXPECT_EQ(again.images.at(0).last_used, kNow + minutes(5));
  EXPECT_FALSE(again.images.at(0).in_use);
}

TEST(StateText, AClockWithoutBatteryMakesNoImageAncientNorYounger) {
  const AgentState state = FullState();
  const auto back = Again(state, hours(3), hours(-24 * 3650), true).images.at(1);
  EXPECT_EQ(kNow + hours(3) - back.first_detected, hours(2)) << "as when it was written";
  const auto ahead = Again(state, hours(3), hours(24 * 3650), true).images.at(1);
  EXPECT_EQ(kNow + hours(3) - ahead.first_detected, hours(2) + kMostTimeOff);
  EXPECT_EQ(kNow + hours(3) - *ahead.last_used, hours(1) + kMostTimeOff);
}

}  // namespace
}  // namespace jettison
