#include "sim/whatif/whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/whatif/testing/test_world.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<PolicyOutcome> Simulate(const std::vector<RecordedItem>& items,
                                    std::vector<CandidatePolicy> candidates,
                                    WhatIfOptions options = {}) {
  WhatIf whatif(std::move(candidates), options);
  for (const RecordedItem& item : items) whatif.Add(item);
  whatif.Finish();
  return whatif.Outcomes();
}

// How many of the world's evictions were predicted.
struct Score {
  std::size_t truths = 0;
  std::size_t found = 0;
  std::size_t inside = 0;
  std::size_t said = 0;
};

void Compare(const TestWorld& truth, const PolicyOutcome& said, Duration reach, Score& score) {
  std::vector<bool> used(said.evictions.size());
  score.truths += truth.evictions().size();
  score.said += said.evictions.size();
  for (const auto& each : truth.evictions()) {
    for (std::size_t i = 0; i < said.evictions.size(); ++i) {
      const SimulatedEviction& guess = said.evictions[i];
      const Duration off = Elapsed(each.at, guess.when.at);
      if (used[i] || guess.uid != each.uid) continue;
      if (!guess.when.Holds(each.at) && (off > reach || off < -reach)) continue;
      used[i] = true;
      ++score.found;
      score.inside += guess.when.Holds(each.at) ? 1 : 0;
      break;
    }
  }
}

// Random worlds under one policy, simulated under another policy, and compared with what that
// policy really does.
Score ScoreOf(std::int64_t in_force, std::int64_t other, const WhatIfOptions& options) {
  constexpr std::uint32_t kFirst = 300;
  constexpr std::uint32_t kWorlds = 12;
  Score score;
  for (std::uint32_t seed = kFirst; seed < kFirst + kWorlds; ++seed) {
    TestWorld recorded(TestWorld::RandomPods(seed), HardAt(in_force));
    recorded.Run(seconds(60));
    TestWorld truth(TestWorld::RandomPods(seed), HardAt(other));
    truth.Run(seconds(60));
    const auto outcomes = Simulate(recorded.items(), {Candidate("other", HardAt(other))}, options);
    const Duration reach =
        std::max<Duration>(options.samples_every.value_or(seconds(0)), seconds(2));
    Compare(truth, outcomes[0], reach, score);
  }
  EXPECT_GT(score.truths, 15U);
  return score;
}

void ExpectShare(std::size_t part, std::size_t whole, double least) {
  EXPECT_GE(static_cast<double>(part), static_cast<double>(whole) * least) << part << "/" << whole;
}

WhatIfOptions Blind(Duration every) {
  return {.model = {}, .samples_every = every};
}

TEST(WhatIf, ThePolicyInForceGivesExactlyTheRecordedEvictions) {
  std::size_t all = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    TestWorld world(TestWorld::RandomPods(seed), HardAt(40));
    world.Run(seconds(90));
    const auto outcomes = Simulate(world.items(), {InForce(), Candidate("the same", HardAt(40))});
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
  EXPECT_GT(all, 12U);
}

TEST(WhatIf, ThePolicyInForceIsFoundFromSamplesAndHigherAndLowerThresholdsAreForetold) {
  struct Row {
    std::int64_t other;
    WhatIfOptions options;
    double least;
    double inside;
  };
  for (const auto& [other, options, least, inside] :
       {Row{40, Blind(Duration{0}), 0.95, 0.99}, Row{60, {}, 0.9, 0}, Row{20, {}, 0.85, 0}}) {
    const Score score = ScoreOf(40, other, options);
    ExpectShare(score.found, score.truths, least);
    ExpectShare(score.found, score.said, least);
    ExpectShare(score.inside, score.found, inside);
  }
}

// A model that is not brought back to the recording finds less from minute to minute.
TEST(WhatIf, ErrorsDoNotAddUpFromMinuteToMinute) {
  struct Row {
    std::int64_t in_force;
    std::int64_t other;
    WhatIfOptions options;
    double least;
  };
  constexpr Instant kLastMinute = Instant(std::chrono::hours(24)) + seconds(180);
  for (const auto& [in_force, other, options, least] :
       {Row{40, 40, Blind(seconds(10)), 0.9}, Row{20, 60, {}, 0.75}}) {
    Score score;
    for (std::uint32_t seed = 700; seed < 706; ++seed) {
      TestWorld recorded(TestWorld::RandomPods(seed), HardAt(in_force));
      recorded.Run(seconds(240));
      TestWorld truth(TestWorld::RandomPods(seed), HardAt(other));
      truth.Run(seconds(240));
      auto said = Simulate(recorded.items(), {Candidate("other", HardAt(other))}, options)[0];
      std::erase_if(said.evictions, [&](const auto& each) { return each.when.at < kLastMinute; });
      score.said += said.evictions.size();
      for (const auto& true_one : truth.evictions()) {
        if (true_one.at < kLastMinute) continue;
        ++score.truths;
        score.found += std::ranges::any_of(said.evictions, [&](const auto& each) {
          return each.uid == true_one.uid &&
                 std::chrono::abs(Elapsed(each.when.at, true_one.at)) <= seconds(10);
        });
      }
    }
    EXPECT_GT(score.truths, 10U);
    ExpectShare(score.found, score.truths, least);
    ExpectShare(score.found, score.said, least);
  }
}

// As one that came and went between two samples.
TEST(WhatIf, APodMayEndBeforeItIsSeen) {
  RecordedCourse course;
  course.Ended();
  course.Seen(kMiB, Instant(seconds(10)), Instant(seconds(0)));
  ASSERT_NE(course.now(), nullptr);
  EXPECT_EQ(course.now()->born(), Instant(seconds(5)));
  EXPECT_FALSE(course.HasLeft());
}

// A pod that leaks 4 MiB/s beside one that holds 60 MiB.
std::vector<TestPod> Leak() {
  return {{.name = "leak", .hold = 10, .rate = 4, .begins = 2}, {.name = "quiet", .hold = 60}};
}

TEST(WhatIf, AThresholdIsCrossedBetweenTwoPassesWhenTheSlopeSaysSo) {
  TestWorld world(Leak(), HardAt(20));
  world.Run(seconds(30));
  const auto outcomes = Simulate(world.items(), {Candidate("100", HardAt(100))});
  ASSERT_EQ(outcomes[0].evictions.size(), 1U);
  // 256 - 16 - 60 - 10 are left, and 70 of them are taken at 4 a second from 2 s on.
  const Instant crossed = Instant(std::chrono::hours(24)) + milliseconds(2'000 + 70'000 / 4);
  const SimulatedEviction& eviction = outcomes[0].evictions[0];
  EXPECT_EQ(eviction.uid, "uid-leak");
  EXPECT_LT(Elapsed(crossed, eviction.when.at), milliseconds(100));
  EXPECT_GT(Elapsed(crossed, eviction.when.at), milliseconds(-100));
  EXPECT_TRUE(eviction.when.Holds(crossed));
}

TEST(WhatIf, APodThatWasEvictedGoesOnGrowingUnderALowerThreshold) {
  TestWorld world({{.name = "leak", .hold = 10, .rate = 4, .begins = 2}}, HardAt(100));
  world.Run(seconds(60));
  ASSERT_FALSE(world.evictions().empty());
  const auto outcomes = Simulate(world.items(), {Candidate("80", HardAt(80))});
  ASSERT_FALSE(outcomes[0].evictions.empty());
  const SimulatedEviction& eviction = outcomes[0].evictions[0];
  // 20 MiB further at 4 a second.
  const Duration later = Elapsed(world.evictions()[0].at, eviction.when.at);
  EXPECT_NEAR(std::chrono::duration<double>(later).count(), 5, 0.3);
  EXPECT_FALSE(eviction.from_record);
}

// As the agent does, which makes a full pass once the pods are cleaned up: another eviction does
// not wait for the next pass by the clock because all pods together hold less than is missing.
TEST(WhatIf, AThresholdThatNoPodCanSatisfyEvictsOneAfterAnother) {
  std::vector<TestPod> pods;
  for (const char* name : {"a", "b", "c"}) pods.push_back({.name = name, .hold = 20});
  TestWorld world(pods, HardAt(20));
  world.Run(seconds(40));
  WhatIfOptions options = Blind(seconds(10));
  options.model.monitoring_interval = seconds(10);
  const auto outcomes = Simulate(world.items(), {Candidate("beyond", HardAt(1 << 20))}, options);
  const auto& evictions = outcomes[0].evictions;
  ASSERT_EQ(evictions.size(), 3U);
  for (std::size_t i = 1; i < evictions.size(); ++i) {
    EXPECT_LE(evictions[i].when.at - evictions[i - 1].when.at, std::chrono::milliseconds(1200));
  }
}

TEST(WhatIf, TheKernelKillsUntilThereIsMemoryAndNothingIsBelowZero) {
  // Under the policy in force all three are evicted long before the node is full.
  TestWorld world({{.name = "a", .hold = 10, .rate = 20, .begins = 5},
                   {.name = "b", .hold = 10, .rate = 20, .begins = 5},
                   {.name = "quiet", .hold = 30}},
                  HardAt(120));
  world.Run(seconds(60));
  ASSERT_GE(world.evictions().size(), 2U);
  const WhatIfOptions options = Blind(seconds(10));
  const auto outcomes = Simulate(world.items(), {Candidate("8", HardAt(8))}, options);
  for (const SimulatedEviction& eviction : outcomes[0].evictions) {
    EXPECT_GE(eviction.available, 0);
  }
  PassPolicy none = HardAt(8);
  none.thresholds.clear();
  const auto killed = Simulate(world.items(), {Candidate("none", none)}, options);
  EXPECT_TRUE(killed[0].evictions.empty());
  ASSERT_FALSE(killed[0].oom_kills.empty());
  EXPECT_EQ(killed[0].oom_kills[0].why, ForeseenOomKill::Why::kNode);
  EXPECT_EQ(killed[0].idle_byte_seconds, 0);
}

TEST(WhatIf, PoliciesSideBySideFareAsEachAlone) {
  TestWorld world(TestWorld::RandomPods(7), HardAt(40));
  world.Run(seconds(60));
  const auto both =
      Simulate(world.items(), {Candidate("60", HardAt(60)), Candidate("20", HardAt(20))});
  const auto alone = Simulate(world.items(), {Candidate("20", HardAt(20))});
  ASSERT_EQ(both[1].evictions.size(), alone[0].evictions.size());
  for (std::size_t i = 0; i < alone[0].evictions.size(); ++i) {
    EXPECT_EQ(both[1].evictions[i].when, alone[0].evictions[i].when);
    EXPECT_EQ(both[1].evictions[i].uid, alone[0].evictions[i].uid);
  }
  EXPECT_EQ(both[1].pod_time_lost, alone[0].pod_time_lost);
}

TEST(WhatIf, AGapIsNamedAndNothingIsFilledIn) {
  TestWorld world(Leak(), HardAt(100));
  world.Run(seconds(10));
  std::vector<RecordedItem> items = world.items();
  const Instant start{std::chrono::hours(24)};
  items.emplace_back(RecordedGap{
      .from = start + seconds(10), .to = start + seconds(70), .why = "the disk was full"});
  TestWorld later({{.name = "quiet", .hold = 5}}, HardAt(100));
  later.Run(seconds(100));
  for (const RecordedItem& item : later.items()) {
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
    if (pass != nullptr && (*pass)->report.at >= start + seconds(70)) items.push_back(item);
  }
  WhatIf whatif({Candidate("100", HardAt(100))}, WhatIfOptions());
  for (const RecordedItem& item : items) whatif.Add(item);
  whatif.Finish();
  // The leak would have met the threshold in the gap.
  EXPECT_TRUE(whatif.Outcomes()[0].evictions.empty());
  ASSERT_FALSE(whatif.facts().flaws.empty());
  EXPECT_EQ(whatif.facts().flaws[0].what, "nothing is known for 1m0s: the disk was full");
  EXPECT_EQ(whatif.facts().unknown, seconds(60));
}

TEST(WhatIf, AClockThatIsSetBackIsNamed) {
  TestWorld world(Leak(), HardAt(20));
  world.Run(seconds(5));
  std::vector<RecordedItem> items = world.items();
  auto back =
      std::make_shared<RecordedPass>(*std::get<std::shared_ptr<const RecordedPass>>(items.back()));
  back->report.at -= seconds(3);
  ++back->number;
  items.emplace_back(std::shared_ptr<const RecordedPass>(back));
  WhatIf whatif({InForce()}, WhatIfOptions());
  for (const RecordedItem& item : items) whatif.Add(item);
  whatif.Finish();
  ASSERT_EQ(whatif.facts().flaws.size(), 1U);
  EXPECT_THAT(whatif.facts().flaws[0].what, testing::StartsWith("the clock was set back by 3s"));
  EXPECT_LT(*whatif.facts().from, *whatif.facts().to);
  EXPECT_EQ(*whatif.facts().to - back->report.at, seconds(3));
}

}  // namespace
}  // namespace jettison
