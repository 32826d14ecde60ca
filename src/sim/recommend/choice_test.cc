#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/recommend/recommendation.h"

namespace jettison {
namespace {

using testing::ElementsAre;

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
