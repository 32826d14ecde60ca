#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/simulate/fleet_bed.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class RecommendCommand : public FleetBed {
 protected:
  // The exit status of the command for these recordings.
  int Run(const std::vector<std::string>& names, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "recommend");
    for (const std::string& name : names) arguments.push_back(Path(name));
    return RunCommand(AddRecommend, std::move(arguments));
  }
  // Its answer.
  nlohmann::json Of(const std::vector<std::string>& names, const std::string& sweep = "") {
    std::vector<std::string> arguments = {"--output", "json"};
    if (!sweep.empty()) arguments.insert(arguments.end(), {"--sweep", sweep});
    status_ = Run(names, std::move(arguments));
    return nlohmann::json::parse(printed_);
  }
  // A node whose pods stay where they are.
  void PutQuiet(const std::string& name) const {
    TestWorld world({{.name = "calm", .hold = 20}}, HardAt(40));
    world.Run(std::chrono::seconds(30));
    Put(name, NdjsonOf(world.items()));
  }

  int status_ = 0;
};

std::vector<std::string> NamesOf(const nlohmann::json& answer) {
  std::vector<std::string> names;
  for (const auto& tried : answer["policies"]) names.push_back(tried["name"]);
  return names;
}

TEST_F(RecommendCommand, AGridIsTriedAndTheCheapestPolicyIsProposed) {
  Put("a.jtr", BinaryOf(LifeOf("node-a", 3)));
  const auto all = Of({"a.jtr"});
  EXPECT_EQ(status_, 0) << said_;
  const auto names = NamesOf(all);
  EXPECT_EQ(names.front(), "in force");
  EXPECT_GT(names.size(), 10U);
  EXPECT_LE(names.size(), 60U);
  for (const std::string& name : names) EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  ASSERT_THAT(all["recordings"], SizeIs(1));
  const std::size_t chosen = all["chosen"];
  EXPECT_EQ(all["recordings"][0]["outcome"]["name"], names[chosen]);
  const double price = all["policies"][chosen]["price"];
  for (const auto& tried : all["policies"]) {
    EXPECT_GE(tried["price"].get<double>() + all["error"].get<double>(), price);
  }
  EXPECT_THAT(all["front"].get<std::vector<std::size_t>>(), Contains(chosen));
  EXPECT_THAT(all["configuration"], HasSubstr("evictionHard:\n  memory.available: "));
}

TEST_F(RecommendCommand, SeveralNodesAreAddedTogether) {
  Put("fleet/a.jtr", BinaryOf(LifeOf("node-a", 3)));
  Put("fleet/b.jtr", BinaryOf(LifeOf("node-b", 4)));
  const std::string sweep = "evictionHard.memory.available=30Mi,60Mi";
  const auto a = Of({"fleet/a.jtr"}, sweep);
  const auto b = Of({"fleet/b.jtr"}, sweep);
  const auto both = Of({"fleet"}, sweep);
  ASSERT_THAT(both["policies"], SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    for (const char* cost : {"evictions", "oomKills", "podSecondsLost"}) {
      EXPECT_EQ(both["policies"][i][cost].get<double>(),
                a["policies"][i][cost].get<double>() + b["policies"][i][cost].get<double>());
    }
  }
}

TEST_F(RecommendCommand, WithoutPressureWhatIsInForceIsKept) {
  PutQuiet("quiet.ndjson");
  const auto all = Of({"quiet.ndjson"});
  EXPECT_EQ(status_, 0) << said_;
  EXPECT_EQ(all["why"], "noPressure");
  EXPECT_EQ(all["chosen"], 0);
  EXPECT_THAT(all["configuration"], HasSubstr("memory.available: \"40Mi\""));
  EXPECT_THAT(all["sentences"][0],
              AllOf(HasSubstr("cannot tell"), HasSubstr("The least that a node had left was")));
}

TEST_F(RecommendCommand, WhereNoGridIsPossibleThePolicyInForceIsJudgedAlone) {
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    TestWorld world({{.name = "calm", .hold = 20}}, HardAt(320));  // 5/4 of the node's memory
    world.Run(std::chrono::seconds(30));
    auto items = world.items();
    std::get<RecordingAbout>(items.front()).node = std::to_string(i);
    names.push_back(std::to_string(i) + ".ndjson");
    Put(names.back(), NdjsonOf(items));
  }
  const auto all = Of(names);
  EXPECT_EQ(status_, 0) << said_;
  EXPECT_THAT(all["recordings"], SizeIs(8));
  EXPECT_THAT(NamesOf(all), ElementsAre("in force"));
}

TEST_F(RecommendCommand, TheConfigurationSaysThatTheNodesDifferAndThatMemoryWasNeverShort) {
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
  EXPECT_EQ(Run({"100.ndjson", "200.ndjson"}, {"--output", "yaml"}), 0);
  EXPECT_THAT(said_, AllOf(HasSubstr("cannot tell"),
                           HasSubstr("those of b\nkind: Pod differ from those of a")));
  const std::string& yaml = printed_;
  EXPECT_THAT(yaml, StartsWith("# What is in force would have evicted no pod because"));
  EXPECT_THAT(yaml, HasSubstr("\n# The nodes have different settings: "));
  EXPECT_THAT(yaml, Not(HasSubstr("\nkind: Pod")));
  EXPECT_THAT(yaml, HasSubstr("nodefs.inodesFree: \"100\""));
}

}  // namespace
}  // namespace jettison
