#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/recommend/recommend.h"
#include "cli/simulate/fleet_bed.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SearchTest : public FleetBed {
 protected:
  Found Of(const SearchRun& run) {
    ::testing::internal::CaptureStderr();
    Found found = Search(run);
    said_ = ::testing::internal::GetCapturedStderr();
    return found;
  }
  Found OfFiles(const std::vector<std::string>& names,
                const std::vector<std::string>& sweeps = {}) {
    SearchRun run{.paths = {}, .candidates = {}};
    for (const std::string& name : names) run.paths.push_back(Path(name));
    const auto forms = ReadCandidates({.policy_files = {}, .sweeps = sweeps});
    EXPECT_TRUE(forms);
    if (forms) run.candidates = *forms;
    return Of(std::move(run));
  }
  // A node whose pods stay where they are.
  void PutQuiet(const std::string& name) const {
    TestWorld world({{.name = "calm", .hold = 20}}, HardAt(40));
    world.Run(std::chrono::seconds(30));
    Put(name, NdjsonOf(world.items()));
  }
};

std::vector<std::string> NamesOf(const Recommendation& all) {
  std::vector<std::string> names;
  for (const Recommendation::Tried& tried : all.tried) names.push_back(tried.name);
  return names;
}

TEST_F(SearchTest, AGridIsTriedAndTheCheapestPolicyIsProposed) {
  Put("a.jtr", BinaryOf(LifeOf("node-a", 3)));
  const Found found = OfFiles({"a.jtr"});
  EXPECT_EQ(found.status, 0) << said_;
  const Recommendation& all = found.recommendation;
  EXPECT_EQ(all.tried.front().name, "in force");
  EXPECT_LE(all.tried.size(), 60U);
  const auto names = NamesOf(all);
  for (const std::string& name : names) EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  ASSERT_THAT(found.reports, SizeIs(1));
  EXPECT_THAT(found.reports[0].outcomes, SizeIs(all.tried.size()));
  EXPECT_THAT(found.reports[0].policies, SizeIs(all.tried.size()));
  for (const Recommendation::Tried& tried : all.tried) {
    EXPECT_GE(PriceOf(tried.costs, all.prices) + all.error,
              PriceOf(all.tried[all.choice.chosen].costs, all.prices));
  }
  EXPECT_THAT(all.choice.front, Contains(all.choice.chosen));
  EXPECT_THAT(all.configuration, HasSubstr("evictionHard:\n  memory.available: "));
}

TEST_F(SearchTest, SeveralNodesAreAddedTogether) {
  Put("fleet/a.jtr", BinaryOf(LifeOf("node-a", 3)));
  Put("fleet/b.jtr", BinaryOf(LifeOf("node-b", 4)));
  const std::vector<std::string> sweep = {"evictionHard.memory.available=30Mi,60Mi"};
  const Found a = OfFiles({"fleet/a.jtr"}, sweep);
  const Found b = OfFiles({"fleet/b.jtr"}, sweep);
  const Found both = OfFiles({"fleet"}, sweep);
  ASSERT_THAT(both.recommendation.tried, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(
        both.recommendation.tried[i].costs.evictions,
        a.recommendation.tried[i].costs.evictions + b.recommendation.tried[i].costs.evictions);
    EXPECT_EQ(both.recommendation.tried[i].costs.idle_byte_seconds,
              a.recommendation.tried[i].costs.idle_byte_seconds +
                  b.recommendation.tried[i].costs.idle_byte_seconds);
  }
}

TEST_F(SearchTest, WithoutPressureWhatIsInForceIsKept) {
  PutQuiet("quiet.ndjson");
  const Found found = OfFiles({"quiet.ndjson"});
  EXPECT_EQ(found.status, 0) << said_;
  EXPECT_EQ(found.recommendation.choice.why, Choice::Why::kNoPressure);
  EXPECT_EQ(found.recommendation.choice.chosen, 0U);
  EXPECT_THAT(found.recommendation.configuration, HasSubstr("memory.available: \"40Mi\""));
  EXPECT_THAT(VerdictSentences(found.recommendation).front(), HasSubstr("cannot tell"));
}

TEST_F(SearchTest, WhereNoGridIsPossibleThePolicyInForceIsJudgedAlone) {
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    TestWorld world({{.name = "calm", .hold = 20}}, HardAt(320));  // 5/4 of the node's memory
    world.Run(std::chrono::seconds(30));
    auto items = world.items();
    std::get<RecordingAbout>(items.front()).node = std::to_string(i);
    names.push_back(std::to_string(i) + ".ndjson");
    Put(names.back(), NdjsonOf(items));
  }
  const Found found = OfFiles(names);
  EXPECT_EQ(found.status, 0) << said_;
  EXPECT_THAT(found.reports, SizeIs(8));
  EXPECT_THAT(NamesOf(found.recommendation), ElementsAre("in force"));
}

TEST_F(SearchTest, TheConfigurationSaysThatTheNodesDifferAndThatMemoryWasNeverShort) {
  const auto quiet_with = [&](const std::string& name, std::int64_t inodes) {
    PassPolicy policy = HardAt(40);
    policy.thresholds.push_back(
        {.signal = Signal::kNodeFsInodesFree, .value = Quantity::Of(inodes)});
    TestWorld world({{.name = "calm", .hold = 20}}, policy);
    world.Run(std::chrono::seconds(30));
    auto items = world.items();
    std::get<RecordingAbout>(items.front()).node = name;
    Put(std::to_string(inodes) + ".ndjson", NdjsonOf(items));
  };
  quiet_with("a", 100);
  quiet_with("b\nkind: Pod", 200);
  const Found found = OfFiles({"100.ndjson", "200.ndjson"});
  EXPECT_THAT(CautionSentences(found.recommendation),
              ElementsAre(HasSubstr("cannot tell"),
                          HasSubstr("those of b\nkind: Pod differ from those of a")));
  const std::string& yaml = found.recommendation.configuration;
  EXPECT_THAT(yaml, StartsWith("# What is in force would have evicted no pod because"));
  EXPECT_THAT(yaml, HasSubstr("\n# The nodes have different settings: "));
  EXPECT_THAT(yaml, Not(HasSubstr("\nkind: Pod")));
  EXPECT_THAT(yaml, HasSubstr("nodefs.inodesFree: \"100\""));
}

TEST_F(SearchTest, ADamagedRecordingIsNamedAndTheOthersCount) {
  Put("a.jtr", BinaryOf(LifeOf("node-a", 3)));
  std::string damaged = NdjsonOf(LifeOf("node-b", 4));
  damaged.insert(damaged.find('\n', damaged.size() / 2) + 1, "{nonsense\n");
  Put("b.ndjson", damaged);
  Put("c.jtr", "this is no recording");
  const Found found = OfFiles({"a.jtr", "b.ndjson", "c.jtr"});
  EXPECT_EQ(found.status, 2);
  EXPECT_THAT(said_, HasSubstr("b.ndjson"));
  EXPECT_THAT(said_, HasSubstr("c.jtr"));
  EXPECT_EQ(said_.find("b.ndjson"), said_.rfind("b.ndjson"));
  EXPECT_THAT(found.reports, SizeIs(2));
}

}  // namespace
}  // namespace jettison
