// Every recorded scenario, decision by decision, event by event, word by word; and every recorded
// image collection.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using nlohmann::json;

constexpr const char* kComparedFields[] = {"nodeConditions", "reclaimSignal", "reclaimed",
                                           "events",         "evictions",     "admission"};

// Absent, null, empty and false all say nothing.
bool SaysNothing(const json& value) {
  return value.is_null() || value.empty() || value == json(false) || value == json("");
}

json WithoutEmptyMembers(const json& value) {
  if (!value.is_object()) return value;
  json kept = json::object();
  for (const auto& [name, member] : value.items()) {
    if (!SaysNothing(member) || member.is_number()) kept[name] = member;
  }
  return kept;
}

json Normalised(const json& step, const char* field) {
  const auto found = step.find(field);
  if (found == step.end() || SaysNothing(*found)) return nullptr;
  if (!found->is_array()) return *found;
  json list = json::array();
  for (const json& item : *found) list.push_back(WithoutEmptyMembers(item));
  return list;
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

bool RankingAgrees(const json& recorded, const json& replayed) {
  const auto flat = replayed.value("ranking", std::vector<std::string>{});
  std::size_t at = 0;
  for (const json& group : recorded.value("ranking", json::array())) {
    const auto equals = group.get<std::vector<std::string>>();
    if (at + equals.size() > flat.size()) return false;
    const auto from = flat.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to = from + static_cast<std::ptrdiff_t>(equals.size());
    if (Sorted(equals) != Sorted({from, to})) return false;
    at += equals.size();
  }
  return at == flat.size();
}

// Compares what a replay answered with what the kubelet was seen to do. Recorded rankings are
// groups of equals, replayed ones are flat: a flat ranking agrees when it refines the groups.
// Absent and empty lists mean the same.
bool StepAgrees(const json& recorded, const json& replayed) {
  for (const char* field : kComparedFields) {
    if (Normalised(recorded, field) != Normalised(replayed, field)) return false;
  }
  return RankingAgrees(recorded, replayed);
}

// Whether all steps equal those of one of the recorded outcomes.
bool Agrees(const json& outcomes, const json& steps) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const json& outcome) {
    return outcome.size() == steps.size() &&
           std::equal(outcome.begin(), outcome.end(), steps.begin(), StepAgrees);
  });
}

// Where the replay first leaves the first recorded outcome.
std::string FirstDifference(const json& outcomes, const json& steps) {
  const json& outcome = outcomes.front();
  if (outcome.size() != steps.size()) return "a different number of steps";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (StepAgrees(outcome[i], steps[i])) continue;
    return "step " + std::to_string(i) + "\nrecorded " + outcome[i].dump() + "\nreplayed " +
           steps[i].dump();
  }
  return "no difference to the first outcome";
}

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

TEST(Agreement, FlatRankingsMustRefineTheRecordedGroupsAndEmptyIsAbsent) {
  const json recorded = {{"ranking", {{"a", "b"}, {"c"}}}};
  EXPECT_TRUE(StepAgrees(recorded, {{"ranking", {"b", "a", "c"}}}));
  EXPECT_FALSE(StepAgrees(recorded, {{"ranking", {"a", "c", "b"}}}));
  EXPECT_FALSE(StepAgrees(recorded, {{"ranking", {"a", "b"}}}));
  EXPECT_TRUE(StepAgrees({{"events", json::array()}}, json::object()));
  EXPECT_FALSE(StepAgrees({{"reclaimed", {"images"}}}, json::object()));
  EXPECT_FALSE(StepAgrees({{"evictions", {{{"gracePeriodSeconds", 0}}}}},
                          {{"evictions", {{{"gracePeriodSeconds", 1}}}}}));
}

json ReplayedImageGc(const std::string& record) {
  Scenario unused;
  const auto read = ReadScenario("{\"imageGC\": " + record + "}", unused);
  if (!read || !*read) {
    ADD_FAILURE() << (read ? "read as a scenario" : read.error().message);
    return {};
  }
  std::string out;
  WriteReplay(**read, Replay(**read), out);
  return json::parse(out);
}

TEST(Conformance, EveryImageCollectionEndsAsTheKubelets) {
  std::ifstream vectors(JETTISON_VECTORS "/images.ndjson");
  std::size_t records = 0;
  for (std::string line; std::getline(vectors, line); ++records) {
    const json recorded = json::parse(line);
    const json replayed = ReplayedImageGc(line);
    for (const char* field : {"name", "removed", "error"}) {
      EXPECT_EQ(replayed[field], recorded[field]) << line;
    }
    EXPECT_EQ(replayed.value("event", ""), recorded.value("event", "")) << line;
  }
  EXPECT_GE(records, 200U);
}

}  // namespace
}  // namespace jettison
