#include "sim/recommend/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace jettison {
namespace {

using ::testing::ElementsAre;
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

// Thousandths of a GiB hour.
double BytesOf(std::int64_t idle) {
  return static_cast<double>(idle) / 1000 * kByteSecondsOfGibHour;
}

PolicyCosts Costs(std::uint64_t evictions, std::uint64_t oom_kills, std::int64_t idle) {
  return {.evictions = evictions,
          .memory_evictions = evictions,
          .oom_kills = oom_kills,
          .idle_byte_seconds = BytesOf(idle)};
}

TEST(ParetoFront, HasThoseThatNoOtherOneIsBetterThan) {
  const std::vector<PolicyCosts> costs = {Costs(2, 1, 100), Costs(2, 0, 200), Costs(3, 0, 200),
                                          Costs(5, 0, 50), Costs(2, 1, 101)};
  EXPECT_THAT(ParetoFront(costs), ElementsAre(3, 0, 1));
}

TEST(Choice, IsTheCheapestOne) {
  const std::vector<PolicyCosts> costs = {Costs(9, 0, 1000), Costs(4, 0, 2000), Costs(2, 0, 50'000),
                                          Costs(1, 0, 900'000)};
  const Choice cheap = Choose(costs, {});
  EXPECT_EQ(cheap.why, Choice::Why::kCheapest);
  EXPECT_EQ(cheap.chosen, 2U);  // it costs 2.5, the others 9.01, 4.02 and 10
  EXPECT_EQ(Choose(costs, {.eviction = 100}).chosen, 3U);
  EXPECT_EQ(Choose(costs, {.idle_gib_hour = 10}).chosen, 0U);
}

TEST(Choice, KeepsWhatIsInForceWhereTheGainIsWithinTheError) {
  const std::vector<PolicyCosts> costs = {Costs(4, 0, 3000), Costs(4, 0, 1000), Costs(3, 0, 5000)};
  EXPECT_EQ(Choose(costs, {}).chosen, 2U);
  const Choice choice = Choose(costs, {}, true, 1);
  EXPECT_EQ(choice.chosen, 0U);
  EXPECT_EQ(choice.why, Choice::Why::kInForce);
  EXPECT_EQ(Choose(costs, {.eviction = 2}, true, 1).chosen, 2U);
}

TEST(Choice, ARecordingWithoutPressureTellsNothing) {
  // Evictions for local storage are the same under every policy, and a lower line is not better
  // only because nothing came near it.
  PolicyCosts in_force = Costs(0, 0, 5000);
  in_force.evictions = 3;
  PolicyCosts lower = in_force;
  lower.idle_byte_seconds = BytesOf(10);
  const Choice choice = Choose(std::vector{in_force, lower}, {});
  EXPECT_EQ(choice.why, Choice::Why::kNoPressure);
  EXPECT_EQ(choice.chosen, 0U);
  // Evictions under a higher line say nothing about lower ones.
  EXPECT_EQ(Choose(std::vector{in_force, lower, Costs(4, 0, 9000)}, {}).why,
            Choice::Why::kNoPressure);
}

TEST(Choice, BetweenPoliciesThatWereGivenAnyEvictionOrOomKillThatDiffersTells) {
  PolicyCosts in_force = Costs(0, 0, 5000);
  in_force.evictions = 3;  // for a disk
  PolicyCosts lower = in_force;
  lower.evictions = 1;
  EXPECT_EQ(Choose(std::vector{in_force, lower}, {}).why, Choice::Why::kNoPressure);
  const Choice choice = Choose(std::vector{in_force, lower}, {}, false);
  EXPECT_EQ(choice.why, Choice::Why::kCheapest);
  EXPECT_EQ(choice.chosen, 1U);
  PolicyCosts killing = in_force;
  killing.oom_kills = 1;
  EXPECT_EQ(Choose(std::vector{in_force, killing}, {}, false).why, Choice::Why::kInForce);
  PolicyCosts same = in_force;
  same.idle_byte_seconds = BytesOf(10);
  EXPECT_EQ(Choose(std::vector{in_force, same}, {}, false).why, Choice::Why::kNoPressure);
}

TEST(Prices, AreReadByNameAndTheOthersKeepTheirDefaults) {
  const auto prices = ParsePrices("eviction=2.5,idle-gib-hour=0");
  ASSERT_TRUE(prices);
  EXPECT_EQ(PricesText(*prices), "eviction=2.5,oom=10,idle-gib-hour=0");
  EXPECT_EQ(PricesText(*ParsePrices("")), "eviction=1,oom=10,idle-gib-hour=0.01");
}

}  // namespace
}  // namespace jettison
