#include "sim/report/simulation_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const Instant kThen(std::chrono::hours(500'000));
constexpr const char* kHostile = "default/we,b \"x\"\n\r\t\\ \xff";

SimulatedEviction EvictionAt(seconds after) {
  const Instant at = kThen + after;
  return {.uid = "u\"1",
          .pod = kHostile,
          .when = {at - seconds(1), at, at + seconds(1)},
          .limit = {},
          .available = 1,
          .line = 2,
          .held = 3};
}

SimulationReport HostileReport() {
  SimulationReport report{.inputs = {{.name = "a,b.jtr"}},
                          .calibration = {.truths = 2, .said = 1, .found = 1}};
  report.facts.node = "no\"de";
  report.facts.from = kThen;
  report.facts.to = kThen + std::chrono::hours(1);
  report.facts.flaws = {{kThen, "a gap,\nwith \"words\""}};
  report.facts.flaw_count = 1;
  report.facts.notes = {"a series is missing"};
  report.facts.note_count = 2;
  report.outcomes = {{.name = "in force"}, {.name = "x\n,=1"}};
  report.outcomes[1].evictions = {EvictionAt(seconds(0))};
  report.outcomes[1].evictions[0].limit = StorageLimitKind::kEmptyDir;
  report.outcomes[1].oom_kills = {{.uid = "u", .pod = kHostile, .when = {kThen, kThen, kThen}}};
  report.outcomes[1].pod_time_lost = std::chrono::milliseconds(1500);
  return report;
}

const SimulationHead kHead{
    .version = "1", .options = {}, .policies = {{"in force", ""}, {"x\n,=1", "{}"}}};

TEST(SimulationReportTest, JsonHasEveryNameWhateverIsInIt) {
  const auto document = nlohmann::json::parse(SimulationJson(kHead, {HostileReport()}));
  const auto& recording = document["recordings"][0];
  EXPECT_EQ(recording["recording"], "a,b.jtr");
  EXPECT_EQ(recording["node"], "no\"de");
  EXPECT_EQ(recording["flaws"][0]["what"], "a gap,\nwith \"words\"");
  EXPECT_EQ(recording["notes"][0], "a series is missing");
  EXPECT_THAT(SimulationText(kHead, {HostileReport()}),
              testing::HasSubstr("  Note: a series is missing.\n  Note: and 1 more.\n"));
  const auto& policy = recording["policies"][1];
  EXPECT_EQ(policy["name"], "x\n,=1");
  // A byte that is not a valid character becomes the replacement character.
  EXPECT_EQ(policy["evictions"][0]["pod"], "default/we,b \"x\"\n\r\t\\ \xEF\xBF\xBD");
  EXPECT_EQ(policy["evictions"][0]["limit"], "emptyDir");
  EXPECT_FALSE(policy["evictions"][0].contains("signal"));
  EXPECT_EQ(policy["podSecondsLost"], 1.5);
  const auto& totals = document["totals"]["policies"][1];
  EXPECT_EQ(totals["name"], "x\n,=1");
  EXPECT_EQ(totals["evictionCount"], 1);
  EXPECT_EQ(totals["oomKillCount"], 1);
  EXPECT_EQ(totals["nodesWithEvictions"], 1);
  EXPECT_EQ(totals["podSecondsLost"], 1.5);
}

TEST(SimulationReportTest, ATableQuotesWhatWouldEndACell) {
  EXPECT_THAT(
      SimulationCsv({HostileReport()}),
      testing::EndsWith("pod_seconds_lost,damaged\n"
                        "\"a,b.jtr\",\"no\"\"de\",in force,0,0,0.000,0.000000,0.000,false\n"
                        "\"a,b.jtr\",\"no\"\"de\",\"x\n,=1\",1,1,0.000,0.000000,1.500,false\n"));
}

TEST(SimulationReportTest, ATableHasARowForANodeOfWhichNothingCouldBeSimulated) {
  EXPECT_THAT(SimulationCsv({{.inputs = {{.name = "a.jtr"}}, .failure = "cannot be read"}}),
              testing::EndsWith("damaged\na.jtr,,,,,,,,true\n"));
}

TEST(SimulationReportTest, ANameOfOthersMakesNoLineInATextAndSteersNoTerminal) {
  SimulationReport report = HostileReport();
  report.inputs.front().name = "a\x1b[2J.jtr";
  report.facts.node = "no\nde";
  const std::string text = SimulationText(kHead, {report});
  for (const char* name : {"RECORDING  a [2J.jtr\n", "  no de, 2", "a gap, with \"words\"",
                           "\nx ,=1 ", "\nx ,=1\n", "default/we,b \"x\"   \\ \xff"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

DifferenceReport SomeDifference() {
  DifferenceReport report = DifferencesOf(
      {EvictionAt(seconds(0)), EvictionAt(seconds(100))},
      {EvictionAt(seconds(1)), EvictionAt(seconds(160)), EvictionAt(seconds(300))}, seconds(10));
  report.a_name = "what-happened";
  report.b_name = "new.yaml";
  return report;
}

TEST(DifferenceReportTest, WhatTheBoundsAllowIsNoDifference) {
  const auto document = nlohmann::json::parse(DifferenceJson(SomeDifference()));
  ASSERT_THAT(document["differences"], SizeIs(2));
  const auto& moved = document["differences"][0];
  EXPECT_TRUE(moved.contains("a") && moved.contains("b"));
  EXPECT_EQ(moved["uid"], "u\"1");
  EXPECT_FALSE(document["differences"][1].contains("a"));
  EXPECT_EQ(document["differences"][1]["b"]["earliest"], "2027-01-15T08:04:59Z");
}

TEST(DifferenceReportTest, TextNamesBothSidesOrSaysThatThereIsNothing) {
  const std::string text = DifferenceText(SomeDifference());
  EXPECT_THAT(text, HasSubstr("A  what-happened: 2 evictions"));
  EXPECT_THAT(text, HasSubstr("A  is not evicted"));
  EXPECT_THAT(text, Not(HasSubstr("do not differ")));
  EXPECT_THAT(DifferenceText(DifferencesOf({}, {}, {})), HasSubstr("They do not differ."));
}

SimulatedEviction Said(std::string uid, int earliest, int at, int latest) {
  return {.uid = std::move(uid),
          .pod = "",
          .when = {kThen + seconds(earliest), kThen + seconds(at), kThen + seconds(latest)},
          .limit = {}};
}

SimulatedEviction Truth(std::string uid, int at) {
  return Said(std::move(uid), at, at, at);
}

TEST(Calibration, CountsWhatWasFoundMissedAndFalse) {
  const auto result =
      Compare({Truth("a", 10), Truth("b", 20), Truth("c", 30)},
              {Said("a", 9, 11, 12), Said("b", 24, 25, 26), Said("d", 1, 2, 3)}, seconds(6));
  EXPECT_EQ(result.truths, 3U);
  EXPECT_EQ(result.said, 3U);
  EXPECT_EQ(result.found, 2U);
  EXPECT_EQ(result.inside, 1U);
  EXPECT_EQ(result.MedianError(), seconds(1)) << "half of the errors are not larger";
  EXPECT_EQ(result.WorstError(), seconds(5));
  EXPECT_DOUBLE_EQ(*result.Recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*result.Precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*result.Coverage(), 0.5);
}

TEST(Calibration, BoundsOfMoreThanAMinuteAreNotKnownAndFindNothing) {
  const auto result = Compare(
      {Truth("a", 100), Truth("b", 200)},
      {Said("a", 70, 100, 131), Said("b", 170, 200, 230), Said("c", 0, 1, 3600)}, seconds(2));
  EXPECT_EQ(result.unknown, 2U);
  EXPECT_EQ(result.found, 1U);
  EXPECT_DOUBLE_EQ(*result.Recall(), 0.5);
  EXPECT_DOUBLE_EQ(*result.Precision(), 1);
}

TEST(FleetShard, EveryNodeIsInOneShardAndShardsAreOfAboutOneSize) {
  constexpr std::uint64_t kShards = 16;
  std::vector<int> nodes(kShards);
  for (int i = 0; i < 10'000; ++i) {
    const std::string node = fmt::format("node-{:05}.example.net", i);
    int owners = 0;
    for (std::uint64_t shard = 0; shard < kShards; ++shard) {
      if (!FleetShard{shard, kShards}.Has(node)) continue;
      ++owners;
      ++nodes[shard];
    }
    ASSERT_EQ(owners, 1) << node;
  }
  for (const int count : nodes) EXPECT_NEAR(count, 625, 100);
}

}  // namespace
}  // namespace jettison
