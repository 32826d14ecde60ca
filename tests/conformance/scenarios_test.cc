// Every recorded scenario: decision by decision, event by event, word by word.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"
#include "tests/conformance/agreement.h"

namespace jettison {
namespace {

using nlohmann::json;

std::string ReplayLine(const std::string& record) {
  Scenario scenario;
  const auto read = ReadScenario(record, scenario);
  EXPECT_TRUE(read) << read.error().message;
  std::string out;
  WriteReplay(scenario, Replay(scenario), out);
  return out;
}

TEST(Conformance, EveryScenarioAgreesWithARecordedOutcome) {
  std::ifstream vectors(JETTISON_VECTORS "/scenarios.ndjson");
  std::size_t scenarios = 0;
  for (std::string line; std::getline(vectors, line);) {
    const json record = json::parse(line);
    const json replayed = json::parse(ReplayLine(line));
    const std::string name = record["scenario"]["name"];
    EXPECT_EQ(replayed["name"], name);
    EXPECT_TRUE(Agrees(record["outcomes"], replayed["steps"]))
        << name << ": " << FirstDifference(record["outcomes"], replayed["steps"]);
    ++scenarios;
  }
  EXPECT_GE(scenarios, 240U);
}

TEST(Conformance, AScenarioMayStandAlone) {
  std::ifstream vectors(JETTISON_VECTORS "/scenarios.ndjson");
  std::string line;
  ASSERT_TRUE(std::getline(vectors, line));
  EXPECT_EQ(ReplayLine(json::parse(line)["scenario"].dump()), ReplayLine(line));
}

TEST(Agreement, FlatRankingsMustRefineTheRecordedGroups) {
  const json recorded = {{"ranking", {{"a", "b"}, {"c"}}}};
  EXPECT_TRUE(StepAgrees(recorded, {{"ranking", {"b", "a", "c"}}}));
  EXPECT_FALSE(StepAgrees(recorded, {{"ranking", {"a", "c", "b"}}}));
  EXPECT_FALSE(StepAgrees(recorded, {{"ranking", {"a", "b"}}}));
  EXPECT_FALSE(StepAgrees(recorded, {{"ranking", {"a", "b", "c", "d"}}}));
}

TEST(Agreement, EmptyAndAbsentListsAreTheSameAndEverythingElseCounts) {
  EXPECT_TRUE(StepAgrees({{"events", json::array()}}, json::object()));
  EXPECT_FALSE(StepAgrees({{"reclaimed", {"images"}}}, json::object()));
  EXPECT_FALSE(StepAgrees({{"evictions", {{{"gracePeriodSeconds", 0}}}}},
                          {{"evictions", {{{"gracePeriodSeconds", 1}}}}}));
}

}  // namespace
}  // namespace jettison
