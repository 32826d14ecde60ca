#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Chunks so small that in many of them nothing happens.
constexpr ChunkLimits kSmallChunks{.passes = 16};

class RunRecordingTest : public FleetBed {
 protected:
  // Under the policies of the sweep, and under that in force.
  [[nodiscard]] SimulationReport ReportOf(const std::string& name, const std::string& values,
                                          bool is_watched = false) const {
    CommandFaults faults;
    const CandidateForms forms =
        ReadCandidates({.policy_files = {},
                        .sweeps = {"evictionHard.memory.available=" + values},
                        .evicted = "back"},
                       faults);
    EXPECT_EQ(faults.status(), 0);
    const RecordingRun run{.candidates = forms, .more = {}, .courses = is_watched};
    return RunOver(run, NodeAt(name));
  }
};

using Told = std::vector<std::tuple<std::string, Instant, Instant, Instant, std::int64_t>>;

Told EvictionsOf(const PolicyOutcome& outcome) {
  Told told;
  for (const SimulatedEviction& each : outcome.evictions) {
    told.emplace_back(each.uid, each.when.earliest, each.when.at, each.when.latest, each.held);
  }
  return told;
}

void ExpectSame(const PolicyOutcome& a, const PolicyOutcome& b) {
  EXPECT_EQ(EvictionsOf(a), EvictionsOf(b));
  EXPECT_EQ(a.oom_kills.size(), b.oom_kills.size());
  EXPECT_EQ(a.pod_time_lost, b.pod_time_lost);
  EXPECT_EQ(a.idle_byte_seconds, b.idle_byte_seconds);
}

// Pods that grow slowly for a long time, so that no policy acts in most of it.
std::vector<RecordedItem> SlowLife(std::uint32_t seed) {
  std::vector<TestPod> pods = {
      {.name = "first", .hold = 20, .rate = 0.4 + 0.05 * seed, .begins = 20, .most = 150},
      {.name = "second", .hold = 10, .rate = 1.2, .begins = 60, .most = 150},
      {.name = "jump", .hold = 5, .rate = 30, .begins = 150.0 + seed, .most = 60}};
  TestWorld world(pods, HardAt(24));
  world.Run(seconds(300));
  EXPECT_FALSE(world.evictions().empty());
  return world.items();
}

TEST_F(RunRecordingTest, TheFormOfAFileAndWhatElseIsTriedChangeNothing) {
  for (std::uint32_t seed = 0; seed < 2; ++seed) {
    const auto items = SlowLife(seed);
    Put("a.jtr", BinaryOf(items, kSmallChunks));
    Put("a.ndjson", NdjsonOf(items));
    const SimulationReport lines = ReportOf("a.ndjson", "40Mi");
    ASSERT_EQ(lines.outcomes.size(), 2U);
    ASSERT_FALSE(lines.outcomes[1].evictions.empty());
    const std::vector<SimulationReport> others = {ReportOf("a.jtr", "40Mi"),
                                                  ReportOf("a.jtr", "40Mi", /*is_watched=*/true),
                                                  ReportOf("a.jtr", "40Mi,200Mi")};
    for (std::size_t i = 0; i < others.size(); ++i) {
      SCOPED_TRACE(fmt::format("seed {}, other {}", seed, i));
      for (const std::size_t policy : {0U, 1U}) {
        ExpectSame(others[i].outcomes[policy], lines.outcomes[policy]);
      }
      EXPECT_EQ(EvictionsOf(others[i].foretold), EvictionsOf(lines.foretold));
      EXPECT_EQ(others[i].facts.pods, lines.facts.pods);
      EXPECT_EQ(others[i].facts.longest_step, lines.facts.longest_step);
    }
  }
}

TEST_F(RunRecordingTest, ANewPolicyHoldsFromItsFirstPassAlsoWhileMemoryIsFarFromBoth) {
  TestWorld world({{.name = "quiet", .hold = 10}}, HardAt(10));
  world.Run(seconds(300));
  std::vector<RecordedItem> items = world.items();
  const auto later = std::make_shared<const PassPolicy>(HardAt(100));
  for (std::size_t i = items.size() / 2; i < items.size(); ++i) {
    auto pass =
        std::make_shared<RecordedPass>(*std::get<std::shared_ptr<const RecordedPass>>(items[i]));
    pass->policy = later;
    items[i] = std::shared_ptr<const RecordedPass>(std::move(pass));
  }
  Put("a.jtr", BinaryOf(items, kSmallChunks));
  Put("a.ndjson", NdjsonOf(items));
  const auto kept_free = [&](const std::string& name) {
    return ReportOf(name, "10Mi").outcomes[0].idle_byte_seconds;
  };
  EXPECT_EQ(kept_free("a.jtr"), kept_free("a.ndjson"));
  EXPECT_NEAR(kept_free("a.jtr"), (150.0 * 10 + 150.0 * 100) * kMiB, 150.0 * kMiB);
}

// The recording of a life with so many lines in the middle that are none.
std::string DamagedNdjson(const std::vector<RecordedItem>& items, int faults) {
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  std::string text = NdjsonOf({items.begin(), middle});
  for (int i = 0; i < faults; ++i) text += "{\"oomKill\":{\"at\":\"never\"}}\n";
  const std::string all = NdjsonOf(items);
  return text + all.substr(NdjsonOf({items.begin(), middle}).size());
}

TEST_F(RunRecordingTest, BehindManyFaultsTheRestIsReadAndTheFaultsAreCounted) {
  const auto items = LifeOf("node-a", 3);
  Put("fleet/whole.ndjson", NdjsonOf(items));
  const std::uint64_t passes = ReportOf("fleet/whole.ndjson", "48Mi").facts.passes;
  std::filesystem::remove(Path("fleet/whole.ndjson"));
  Put("fleet/a.ndjson", DamagedNdjson(items, 50));
  const SimulationReport report = ReportOf("fleet/a.ndjson", "48Mi");
  EXPECT_EQ(report.facts.passes, passes);
  ASSERT_THAT(report.Faults(), SizeIs(kMostRecordingFaults + 1));
  EXPECT_THAT(report.Faults().back(), HasSubstr("a.ndjson: and 30 more faults"));
}

TEST_F(RunRecordingTest, ImportsOfOneNodeThatOverlapCountOnce) {
  std::vector<RecordedItem> items = LifeOf("node-a", 3, seconds(120));
  auto& about = std::get<RecordingAbout>(items.front());
  about.maker = "prometheus";
  const auto at = [&](std::size_t part) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() * part / 4);
  };
  std::vector<RecordedItem> later = {about};
  std::get<RecordingAbout>(later.front()).at = WhenOf(*at(1));
  later.insert(later.end(), at(1), items.end());
  Put("fleet/a.jtr", BinaryOf({items.begin(), at(2)}));
  Put("fleet/b.jtr", BinaryOf(later));
  CommandFaults faults;
  const auto files = FindRecordings({Path("fleet")}, faults);
  ASSERT_EQ(faults.status(), 0);
  const auto nodes = NodesOfShard(files, {.index = 0, .count = 1});
  ASSERT_THAT(nodes, SizeIs(1));
  NodeSource source(nodes[0]);
  for (const RecordedItem& item : items) {
    const auto read = source.Next();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->index(), item.index());
    EXPECT_EQ(WhenOf(*read), WhenOf(item));
  }
  EXPECT_FALSE(source.Next());
}

}  // namespace
}  // namespace jettison
