// A replay equals its recording: passes run from values in memory, written out as JSON, read back
// and run again, give the identical report.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "recordings/replay_writer.h"
#include "recordings/scenario_reader.h"
#include "recordings/scenario_writer.h"
#include "sim/simulated_node.h"
#include "tests/random_scenario.h"

namespace jettison {
namespace {

std::string ReplayLine(const Scenario& scenario) {
  std::string line;
  WriteReplay(scenario, Replay(scenario), line);
  return line;
}

Scenario ReadBack(std::string text) {
  const std::size_t length = text.size();
  text.resize(length + ScenarioReader::kPadding);
  Scenario scenario;
  const auto read = ScenarioReader().Read(std::string_view(text).substr(0, length), scenario);
  EXPECT_TRUE(read) << read.error().message;
  return scenario;
}

TEST(Recording, AReplayEqualsItsRecording) {
  int evictions = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Scenario recorded = SomeScenario(seed);
    std::string text;
    WriteScenario(recorded, text);
    const std::string line = ReplayLine(recorded);
    ASSERT_EQ(ReplayLine(ReadBack(text)), line);
    evictions += line.find("evictions") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(evictions, 30) << "the scenarios are too peaceful to prove anything";
}

TEST(Recording, TheSameScenarioGivesTheSameReportEveryTime) {
  const Scenario scenario = SomeScenario(3);
  EXPECT_EQ(ReplayLine(scenario), ReplayLine(scenario));
}

// The passes of a scenario as an agent records them, each with the state it began with.
std::vector<RecordedPass> PassesOf(const Scenario& scenario) {
  std::vector<RecordedPass> passes;
  EvictionState state;
  std::vector<ActivePod> scratch;
  for (const ScenarioStep& step : scenario.steps) {
    RecordedPass& pass = passes.emplace_back();
    pass.number = passes.size();
    pass.policy = std::make_shared<const PassPolicy>(scenario.policy);
    pass.before = state;
    pass.summary = step.summary;
    pass.after_reclaim = step.summary_after_reclaim;
    std::vector<const PodFacts*> active;
    for (const std::size_t i : step.active) {
      pass.pods.push_back(std::make_shared<const PodFacts>(scenario.pods[i]));
      active.push_back(pass.pods.back().get());
    }
    SimulatedNode node(scenario, step);
    NodePorts ports{.killer = node, .reclaimer = node, .summaries = node};
    pass.report = RunPass(scenario.policy,
                          {.now = scenario.start + step.at,
                           .summary = pass.summary,
                           .pods = active,
                           .full_ranking = true},
                          ports, state, scratch);
  }
  return passes;
}

std::string ReportText(const CycleReport& report) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  WriteReport(report, json);
  json.EndObject();
  return text;
}

TEST(Recording, APassReplaysAloneFromTheStateItBeganWith) {
  std::size_t later_evictions = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Scenario scenario = SomeScenario(seed);
    scenario.pods[seed % scenario.pods.size()].critical = true;  // somebody else's, only observed
    scenario.steps[2].reclaim_under_way = seed % 3 == 0;
    for (const RecordedPass& pass : PassesOf(scenario)) {
      std::string text;
      WriteCycle(pass, scenario.profile, text);
      const std::vector<StepOutcome> outcomes = Replay(ReadBack(text));
      ASSERT_EQ(outcomes.size(), 1U);
      ASSERT_EQ(ReportText(outcomes[0].report), ReportText(pass.report)) << text;
      if (pass.number > 1) later_evictions += pass.report.evictions.size();
    }
  }
  EXPECT_GT(later_evictions, 20U) << "the passes are too peaceful to prove anything";
}

}  // namespace
}  // namespace jettison
