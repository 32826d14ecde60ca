// A fleet in shards: the same bytes however it is cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/simulate/fleet_bed.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int kNodes = 9;

class FleetTest : public ShardBed {};

TEST_F(FleetTest, TheResultIsTheSameForAnyNumberOfShardsInAnyOrder) {
  PutFleet(kNodes);
  SimulateAll(1, "one");
  const std::string whole = SumOf({Path("one")});
  EXPECT_THAT(whole, AllOf(HasSubstr("FLEET  9 nodes, 11 recordings"), HasSubstr("no,de")));
  EXPECT_THAT(whole, HasSubstr("memory.available"));
  std::mt19937 random(20260101);
  for (const auto count : {std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{16}}) {
    const std::string folder = std::to_string(count);
    SimulateAll(count, folder);
    auto shards = FilesIn(folder);
    ASSERT_THAT(shards, SizeIs(count));
    std::ranges::shuffle(shards, random);
    EXPECT_EQ(SumOf(shards), whole) << count;
  }
}

TEST_F(FleetTest, AResultIsTheSameForAnyNumberOfJobs) {
  PutFleet(6);
  ASSERT_EQ(Simulate({0, 1}, "1.ndjson", 1), 0);
  ASSERT_EQ(Simulate({0, 1}, "3.ndjson", 3), 0);
  EXPECT_EQ(Got("1.ndjson"), Got("3.ndjson"));
}

TEST_F(FleetTest, EveryReasonWhyShardsAreNotOfOneFleetIsNamed) {
  PutFleet(6);
  SimulateAll(3, "three");
  SimulateAll(2, "two");
  const auto three = FilesIn("three");
  const auto two = FilesIn("two");
  EXPECT_THAT(SumOf({three[0], three[2]}), HasSubstr("1 of 3 shards are missing: 1\n"));
  EXPECT_THAT(SumOf({three[0], three[0], three[1], three[2]}), HasSubstr("both have shard 0/3"));
  EXPECT_THAT(SumOf({three[0], two[1]}),
              AllOf(HasSubstr("the number of shards differ"), HasSubstr("shards are missing")));
  EXPECT_THAT(SumOf({Path("nowhere"), Path("fleet/deep")}), HasSubstr("cannot open"));
  std::filesystem::create_directories(Path("empty"));
  EXPECT_THAT(SumOf({Path("empty"), Path("nowhere"), three[0]}),
              AllOf(HasSubstr("has no file that ends in .ndjson"), HasSubstr("cannot open"),
                    HasSubstr("2 of 3 shards are missing: 1 2")));
  sweep_ = "evictionHard.memory.available=24Mi,65Mi";
  ASSERT_EQ(Simulate({1, 3}, "three/shard-00001-of-00003.ndjson"), 0);
  EXPECT_THAT(SumOf(three), HasSubstr("another fleet than the first result: the policies differ"));
}

TEST_F(FleetTest, AResultThatIsCutOffOrIsNoneIsRefused) {
  PutFleet(6);
  SimulateAll(2, "two");
  const std::string name = "two/shard-00001-of-00002.ndjson";
  const std::string whole = Got(name);
  Put(name, whole.substr(0, 5000));
  EXPECT_THAT(SumOf({Path("two")}), HasSubstr("shard-00001-of-00002.ndjson:"));
  Put(name, whole.substr(0, whole.rfind("{\"end\"")));
  EXPECT_THAT(SumOf({Path("two")}),
              HasSubstr("shard-00001-of-00002.ndjson: the result is not complete"));
  EXPECT_THAT(SumOf({Path("fleet/deep")}), HasSubstr("this is no result of a shard"));
}

TEST_F(FleetTest, HostileNamesComeThroughJson) {
  PutFleet(4);  // with no,de"3\n and pods with ,"\n'
  ASSERT_EQ(Simulate({0, 1}, "s.ndjson"), 0);
  ASSERT_EQ(Run({"--sum", Path("s.ndjson"), "--output", "json"}), 0) << said_;
  const auto document = nlohmann::json::parse(printed_);
  EXPECT_EQ(document["kind"], "Simulation");
  std::vector<std::string> names;
  for (const auto& node : document["recordings"]) names.push_back(node["node"]);
  EXPECT_THAT(names, ElementsAre("no,de\"3\n", "node-0", "node-1", "node-2"));
  EXPECT_THAT(printed_, HasSubstr(R"("pod":"default/leak,\"\n'")"));
}

TEST_F(FleetTest, WhatDiffersFromWhatHappenedIsTold) {
  Put("fleet/a.jtr", BinaryOf(LifeOf("a", 3)));
  const std::string policy = Path("new.yaml");
  Put("new.yaml",
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
      "evictionHard: {memory.available: 64Mi}\n");
  ASSERT_EQ(Run({Path("fleet/a.jtr"), "--against", "what-happened"}), 0) << said_;
  EXPECT_THAT(printed_,
              AllOf(HasSubstr("DIFFERENCES\n  A  what-happened: "), HasSubstr("B  in force: ")));
  ASSERT_EQ(Run({Path("fleet/a.jtr"), "--policy", policy, "--against", "in-force"}), 0) << said_;
  EXPECT_THAT(printed_, AllOf(HasSubstr("  A  in-force: "), HasSubstr("earlier.")));
  ASSERT_EQ(Run({Path("fleet/a.jtr"), "--against", policy, "--output", "json"}), 0) << said_;
  const auto differences = nlohmann::json::parse(printed_)["recordings"][0]["differences"];
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_EQ(differences[0]["a"], policy);
  EXPECT_EQ(differences[0]["b"], "in force");
  EXPECT_THAT(differences[0]["differences"], Not(SizeIs(0)));
  EXPECT_EQ(Run({Path("fleet/a.jtr"), "--against", "what-hapened"}), 2);
  EXPECT_THAT(said_, HasSubstr("did you mean \"what-happened\"?"));
  Put("fleet/b.jtr", BinaryOf(LifeOf("b", 4)));
  EXPECT_EQ(Run({Path("fleet"), "--against", "what-happened"}), 2);
  EXPECT_THAT(said_, HasSubstr("--against compares policies on one node; the recordings have 2"));
}

TEST_F(FleetTest, EveryOptionThatIsWrongIsNamed) {
  for (const auto& more : {std::vector{"--jobs", "2"}, std::vector{"--shard", "3/2"}}) {
    std::vector<std::string> words = {"missing", "--every=-5s", "--sweep",
                                      "foo",     "--policy",    "/nonexistent.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Run(words), 2);
    for (const char* fault : {"--every -5s: must be a duration", "foo: ", "/nonexistent.yaml: "}) {
      EXPECT_THAT(said_, HasSubstr(std::string("jettison: ") + fault));
    }
  }
}

TEST_F(FleetTest, OptionsThatDoNotGoTogetherAreRefused) {
  struct Row {
    std::vector<std::string> words;
    int status;
    const char* said;
  };
  const char* const shard = "--shard writes lines for --sum: it cannot be used with";
  const char* const sum = "--sum adds up what was simulated";
  for (const auto& [words, status, said] :
       {Row{{"missing", "--shard", "0/1", "--html", "x"}, 2, shard},
        Row{{"missing", "--shard", "0/1", "--output", "json"}, 2, shard},
        Row{{"missing", "--shard", "0/1", "--against", "in-force"}, 2, shard},
        Row{{"missing", "--sum", "--policy", "p.yaml"}, 2, sum},
        Row{{"missing", "--sum", "--shard", "0/1"}, 2, sum},
        Row{{"missing", "--sum", "--jobs", "2"}, 2, sum},
        Row{{"missing", "--sum", "--output", "json"}, 1, "cannot open missing"}}) {
    EXPECT_EQ(Run(words), status);
    EXPECT_THAT(said_, HasSubstr(said));
  }
}

}  // namespace
}  // namespace jettison
