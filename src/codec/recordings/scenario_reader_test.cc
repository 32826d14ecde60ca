#include "codec/recordings/scenario_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/testing/scenario_writer.h"
#include "sim/replay.h"
#include "tests/random_scenario.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string FaultOf(const std::string& record) {
  Scenario scenario;
  const auto read = ReadScenario(record, scenario);
  return read ? "" : read.error().message;
}

constexpr std::string_view kScenario =
    R"({"name":"s","start":"2026-01-01T00:00:00Z","kubeletConfig":{"evictionHard":{}},)"
    R"("pods":[],"steps":[{"at":"0s","activePods":[],"summary":{"node":{}}}]})";

// A download that ended early is no wrong field.
TEST(ReadScenario, ARecordThatIsCutOffIsNotValidJson) {
  EXPECT_THAT(FaultOf(std::string(kScenario)), Not(HasSubstr("valid JSON")));
  for (std::size_t size = 1; size < kScenario.size(); ++size) {
    const std::string cut(kScenario.substr(0, size));
    EXPECT_THAT(FaultOf(cut), HasSubstr("valid JSON")) << cut;
  }
}

TEST(ReadScenario, AFieldOfAnotherKindIsToldItsKind) {
  EXPECT_EQ(FaultOf("[]"), "is not a valid JSON object");
  EXPECT_EQ(FaultOf(R"({"name":7,"start":"2026-01-01T00:00:00Z"})"),
            R"(name: "7": must be a string: write it in quotes)");
  EXPECT_EQ(FaultOf(R"({"start":"2026-01-01T00:00:00Z","steps":{}})"),
            "steps: must be a list, found a map");
  EXPECT_EQ(FaultOf(R"({"scenario":[]})"), "scenario: must be a map, found a list");
}

TEST(ReadScenario, EveryMisspeltFieldIsToldAtOnce) {
  EXPECT_EQ(
      FaultOf(R"({"scenario":{"name":"s","start":"2026-01-01T00:00:00Z","setps":[],"steps":[)"
              R"({"at":"0s","sumary":{"node":{}}},{"at":"1s","summary":{"node":{}},"x":0}]}})"),
      R"(scenario.setps: there is no such field (did you mean "steps"?); )"
      R"(scenario.steps[0].sumary: there is no such field (did you mean "summary"?); )"
      R"(scenario.steps[0].summary: is missing; scenario.steps[1].x: "0": there is no such )"
      "field");
  EXPECT_EQ(FaultOf(R"({"start":"2026-01-01T00:00:00Z","kubeletConfig":{"evictionHrad":{}},)"
                    R"("jettisonConfig":{"presureHard":{}},"disk":{"dedicatedImageFS":true}})"),
            R"(disk.dedicatedImageFS: "true": there is no such field (did you mean )"
            R"("dedicatedImageFs"?); kubeletConfig.evictionHrad: "a map": there is no such field )"
            R"((did you mean "evictionHard"?); jettisonConfig.presureHard: "a map": there is no )"
            R"(such field (did you mean "pressureHard"?))");
}

TEST(ReadScenario, WhatStandsBesideAScenarioIsNoFault) {
  EXPECT_EQ(FaultOf(R"({"name":"s","start":"2026-01-01T00:00:00Z","outcomes":[],)"
                    R"("kubeletConfig":{"maxPods":9},)"
                    R"("jettisonConfig":{"dryRun":true,"hardThresholdsFirst":true}})"),
            "");
}

std::string ReplayLine(const Scenario& scenario) {
  std::string line;
  WriteReplay(scenario, Replay(scenario), line);
  return line;
}

TEST(ReadScenario, AReplayEqualsThatOfTheScenarioThatWasWritten) {
  int evictions = 0;
  Scenario read;  // each record replaces what the one before left
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Scenario recorded = SomeScenario(seed);
    std::string text;
    WriteScenario(recorded, text);
    ASSERT_TRUE(ReadScenario(text, read));
    const std::string line = ReplayLine(recorded);
    ASSERT_EQ(ReplayLine(read), line);
    evictions += line.find("evictions") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(evictions, 30) << "the scenarios are too peaceful to prove anything";
}

}  // namespace
}  // namespace jettison
