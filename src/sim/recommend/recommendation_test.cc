#include "sim/recommend/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace jettison {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHostile = "default/we,b \"x\"\n\r\t\\ </script>";
const Instant kThen(std::chrono::hours(500'000));

Recommendation TwoPolicies() {
  Recommendation all;
  all.tried = {
      {.name = "in force",
       .costs = {.evictions = 4,
                 .memory_evictions = 4,
                 .idle_byte_seconds = 1 * kByteSecondsOfGibHour}},
      {.name = "hard 200Mi",
       .costs = {
           .evictions = 1, .memory_evictions = 1, .idle_byte_seconds = 3 * kByteSecondsOfGibHour}}};
  all.choice = {.chosen = 1, .why = Choice::Why::kCheapest, .front = {0, 1}};
  all.configuration = "kind: KubeletConfiguration\n";
  return all;
}

std::vector<SimulationReport> Reports() {
  SimulationReport report{.inputs = {{.name = "a.jtr"}}};
  report.facts.node = "no\"de";
  report.facts.from = kThen;
  report.facts.to = kThen;
  report.outcomes = {{.name = "in force"}, {.name = "hard 200Mi"}};
  report.outcomes[1].evictions = {{.uid = "u",
                                   .pod = kHostile,
                                   .when = {kThen, kThen, kThen},
                                   .limit = {},
                                   .available = 1,
                                   .line = 2,
                                   .held = 3}};
  return {report};
}

TEST(Recommendation, SaysWhatChanges) {
  const auto sentences = VerdictSentences(TwoPolicies());
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(sentences[0], HasSubstr("\"hard 200Mi\" is the cheapest"));
  EXPECT_THAT(sentences[0], HasSubstr("costs 1.03, and what is in force costs 4.01"));
  EXPECT_THAT(sentences[0], HasSubstr("3 evictions fewer, 2.000 GiB h more kept free"));
}

TEST(Recommendation, TheTextNamesTheFrontAndTheEvictions) {
  const std::string text = RecommendationText(TwoPolicies(), Reports());
  EXPECT_THAT(text, HasSubstr("RECOMMENDED  at eviction=1,oom=10,idle-gib-hour=0.01"));
  EXPECT_THAT(text, HasSubstr("recommended\n"));
  EXPECT_THAT(text, HasSubstr("EVICTIONS  that \"hard 200Mi\" would have made"));
  EXPECT_LT(text.find("CALIBRATION"), text.find("RECOMMENDED"));
  EXPECT_TRUE(text.ends_with("CONFIGURATION\nkind: KubeletConfiguration\n"));
}

TEST(Recommendation, TheDocumentSurvivesHostileNames) {
  const auto json = nlohmann::json::parse(RecommendationJson(TwoPolicies(), Reports()));
  EXPECT_EQ(json["kind"], "Recommendation");
  EXPECT_EQ(json["chosen"], 1);
  EXPECT_EQ(json["why"], "cheapest");
  EXPECT_EQ(json["policies"][1]["evictions"], 1);
  EXPECT_EQ(json["front"], nlohmann::json({0, 1}));
  EXPECT_EQ(json["recordings"][0]["outcome"]["evictions"][0]["pod"], kHostile);
}

}  // namespace
}  // namespace jettison
