#include "sim/whatif/whatif.h"

#include <gtest/gtest.h>

#include "sim/whatif/test_world.h"

namespace jettison {
namespace {

using std::chrono::seconds;

WhatIfOptions Options() {
  WhatIfOptions options;
  options.model.monitoring_interval = seconds(1);
  return options;
}

std::vector<PolicyOutcome> Simulate(const std::vector<RecordedItem>& items,
                                    std::vector<CandidatePolicy> candidates,
                                    WhatIfOptions options = Options()) {
  WhatIf whatif(std::move(candidates), std::move(options));
  for (const RecordedItem& item : items) whatif.Add(item);
  whatif.Finish();
  return whatif.Outcomes();
}

TEST(WhatIf, ThePolicyInForceGivesExactlyTheRecordedEvictions) {
  std::size_t all = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    TestWorld world(TestWorld::RandomPods(seed), HardAt(40));
    world.Run(seconds(90));
    const auto outcomes =
        Simulate(world.items(), {InForce(), Candidate("the same", HardAt(40))});
    for (const PolicyOutcome& outcome : outcomes) {
      ASSERT_EQ(outcome.evictions.size(), world.evictions().size()) << seed << outcome.name;
      for (std::size_t i = 0; i < outcome.evictions.size(); ++i) {
        EXPECT_EQ(outcome.evictions[i].uid, world.evictions()[i].uid) << seed;
        const Instant at = world.evictions()[i].at;
        EXPECT_EQ(outcome.evictions[i].when, (TimeBounds{at, at, at})) << seed;
        EXPECT_TRUE(outcome.evictions[i].as_recorded);
      }
    }
    all += world.evictions().size();
  }
  EXPECT_GT(all, 40U);
}

struct Score {
  std::size_t truths = 0;
  std::size_t found = 0;
  std::size_t inside = 0;
  std::size_t said = 0;
};

void Compare(const TestWorld& truth, const PolicyOutcome& said, Duration reach, Score& score,
             std::uint32_t seed) {
  std::vector<bool> used(said.evictions.size());
  score.truths += truth.evictions().size();
  score.said += said.evictions.size();
  for (const auto& each : truth.evictions()) {
    bool found = false;
    for (std::size_t i = 0; i < said.evictions.size() && !found; ++i) {
      const SimulatedEviction& guess = said.evictions[i];
      const Duration off = Elapsed(each.at, guess.when.at);
      if (used[i] || guess.uid != each.uid) continue;
      if (!guess.when.Holds(each.at) && (off > reach || off < -reach)) continue;
      used[i] = found = true;
      ++score.found;
      score.inside += guess.when.Holds(each.at) ? 1 : 0;
    }
    if (!found && std::getenv("JETTISON_SHOW") != nullptr) {
      fmt::print("seed {} missed {} at {:.2f}\n", seed, each.uid,
                 std::chrono::duration<double>(each.at.time_since_epoch()).count() - 86400);
    }
  }
  if (std::getenv("JETTISON_SHOW") == nullptr) return;
  for (std::size_t i = 0; i < said.evictions.size(); ++i) {
    const auto sec = [](Instant at) {
      return std::chrono::duration<double>(at.time_since_epoch()).count() - 86400;
    };
    const SimulatedEviction& e = said.evictions[i];
    if (!used[i]) {
      fmt::print("seed {} false {} at {:.2f} [{:.2f} {:.2f}]\n", seed, e.uid, sec(e.when.at),
                 sec(e.when.earliest), sec(e.when.latest));
    }
  }
}

Score ScoreOf(std::int64_t in_force, std::int64_t other, std::optional<ThinningRule> thinning,
              bool blind) {
  Score score;
  for (std::uint32_t seed = 100; seed < 200; ++seed) {
    TestWorld recorded(TestWorld::RandomPods(seed), HardAt(in_force));
    recorded.Run(seconds(60));
    TestWorld truth(TestWorld::RandomPods(seed), HardAt(other));
    truth.Run(seconds(60));
    WhatIfOptions options = Options();
    options.thinning = thinning;
    options.blind = blind;
    const auto outcomes =
        Simulate(recorded.items(), {Candidate("other", HardAt(other))}, options);
    Compare(truth, outcomes[0], thinning ? thinning->every : seconds(2), score, seed);
  }
  return score;
}

void Print(const char* what, const Score& score) {
  fmt::print("{}: truths {} found {} inside {} said {}\n", what, score.truths, score.found,
             score.inside, score.said);
}

TEST(WhatIf, Scores) {
  const auto every = [](int s) { return ThinningRule{.every = seconds(s)}; };
  Print("same blind full", ScoreOf(40, 40, ThinningRule{}, true));
  Print("same blind 10s", ScoreOf(40, 40, every(10), true));
  Print("same blind 30s timed", ScoreOf(40, 40, ThinningRule{.every = seconds(30), .end_times = true}, true));
  Print("same blind 30s", ScoreOf(40, 40, every(30), true));
  Print("higher full", ScoreOf(40, 60, std::nullopt, false));
  Print("higher 10s", ScoreOf(40, 60, every(10), true));
  Print("higher 30s", ScoreOf(40, 60, every(30), true));
  Print("lower full", ScoreOf(40, 20, std::nullopt, false));
  Print("lower 10s", ScoreOf(40, 20, every(10), true));
  Print("lower 30s", ScoreOf(40, 20, every(30), true));
}

}  // namespace
}  // namespace jettison
