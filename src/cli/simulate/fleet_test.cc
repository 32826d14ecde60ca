// A fleet in shards: the same bytes however it is cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/simulate/shard_bed.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kNodes = 9;

class FleetTest : public ShardBed {};

TEST_F(FleetTest, TheResultIsTheSameForAnyNumberOfShardsInAnyOrder) {
  PutFleet(kNodes);
  SimulateAll(1, "one");
  const std::string whole = MergedOf({Path("one")});
  EXPECT_THAT(whole, AllOf(HasSubstr("FLEET  9 nodes, 11 recordings"), HasSubstr("no,de")));
  EXPECT_THAT(whole, HasSubstr("memory.available"));
  std::mt19937 random(20260101);
  for (const auto count : {std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{16}}) {
    const std::string folder = std::to_string(count);
    SimulateAll(count, folder);
    auto parts = PartsIn(folder);
    ASSERT_THAT(parts, SizeIs(count));
    std::ranges::shuffle(parts, random);
    EXPECT_EQ(MergedOf(parts), whole) << count;
  }
}

TEST_F(FleetTest, APartThatIsNoFileIsRefused) {
  ASSERT_EQ(::mkfifo(Path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(MergedOf({Path("fifo")}),
            Path("fifo") + ": must be a regular file, because parts are read twice");
}

TEST_F(FleetTest, AFolderForPartsIsMadeWhereItIsMissing) {
  PutFleet(1);
  ASSERT_EQ(Simulate({0, 1}, "one.part"), 0) << said_;
  ASSERT_EQ(Simulate({0, 1}, "new/parts/"), 0) << said_;
  EXPECT_EQ(Got("new/parts/shard-00000-of-00001.part"), Got("one.part"));
  EXPECT_EQ(Simulate({0, 1}, "one.part/"), 1) << "a file of that name is in the way";
  EXPECT_THAT(said_, HasSubstr("cannot make "));
}

TEST_F(FleetTest, APartIsTheSameForAnyNumberOfJobs) {
  PutFleet(6);
  ASSERT_EQ(Simulate({0, 1}, "1.part", 1), 0);
  ASSERT_EQ(Simulate({0, 1}, "3.part", 3), 0);
  EXPECT_EQ(Got("1.part"), Got("3.part"));
}

TEST_F(FleetTest, EveryReasonWhyPartsAreNotOfOneFleetIsNamed) {
  PutFleet(6);
  SimulateAll(3, "three");
  SimulateAll(2, "two");
  const auto three = PartsIn("three");
  const auto two = PartsIn("two");
  EXPECT_THAT(MergedOf({three[0], three[2]}),
              HasSubstr("1 of 3 shards are missing: 1; use --partial"));
  EXPECT_THAT(MergedOf({three[0], three[2]}, true), HasSubstr("1 of 3 shards are missing: 1\n"));
  EXPECT_THAT(MergedOf({three[0], three[0], three[1], three[2]}),
              AllOf(HasSubstr("both have shard 0/3")));
  EXPECT_THAT(MergedOf({three[0], two[1]}),
              AllOf(HasSubstr("the fleet has 3 and 2 shards"), HasSubstr("shards are missing")));
  EXPECT_THAT(MergedOf({Path("nowhere"), Path("fleet")}),
              AllOf(HasSubstr("cannot open"), HasSubstr("no file that ends in .part")));
  sweeps_ = {"evictionHard.memory.available=24Mi,65Mi"};
  ASSERT_EQ(Simulate({1, 3}, "three/shard-00001-of-00003.part"), 0);
  EXPECT_THAT(MergedOf(three), HasSubstr("policy 3 is \"evictionHard.memory.available=64Mi\" and "
                                         "\"evictionHard.memory.available=65Mi\""));
  Put("three/shard-00001-of-00003.part", Got("three/shard-00001-of-00003.part").substr(0, 5000));
  EXPECT_THAT(MergedOf(three), HasSubstr("shard-00001-of-00003.part:"));
}

TEST_F(FleetTest, PartsMayStandOneAfterAnotherInAFile) {
  PutFleet(5);
  SimulateAll(3, "parts");
  std::string all;
  for (const std::string& path : PartsIn("parts")) {
    all += Got("parts/" + std::filesystem::path(path).filename().string());
  }
  Put("all.part", all);
  EXPECT_EQ(MergedOf({Path("all.part")}), MergedOf({Path("parts")}));
}

TEST_F(FleetTest, NothingIsLeftOfAPartThatCannotBeWritten) {
  PutFleet(2);
  Put("taken", "a file");
  EXPECT_EQ(Simulate({0, 1}, "taken/p.part"), 1);
  EXPECT_THAT(said_, HasSubstr("taken"));
  EXPECT_EQ(Simulate({0, 1}, "fleet/"), 0);
  EXPECT_TRUE(std::filesystem::exists(Path("fleet/shard-00000-of-00001.part")));
}

TEST_F(FleetTest, HostileNamesComeThroughJsonAndCsv) {
  PutFleet(4);  // with no,de"3\n and pods with ,"\n'
  ASSERT_EQ(Simulate({0, 1}, "p.part"), 0);
  auto parts = PartFiles::Read({Path("p.part")}, false, [](const FleetNode&) {});
  ASSERT_TRUE(parts);
  const FleetReport report{
      .manifest = parts->manifest(), .totals = FleetTotals(3), .missing_shards = {}};
  const VisitNodes nodes = [&](const auto& visit) { return parts->Visit(visit); };
  std::string json;
  ASSERT_TRUE(
      WriteFleetJson(report, nodes, [&](std::string_view piece) { return json += piece, true; }));
  const auto document = nlohmann::json::parse(json);
  EXPECT_EQ(document["kind"], "FleetSimulation");
  std::vector<std::string> names;
  for (const auto& node : document["nodes"]) names.push_back(node["node"]);
  EXPECT_THAT(names, ElementsAre("no,de\"3\n", "node-0", "node-1", "node-2"));
  std::string csv;
  ASSERT_TRUE(WriteFleetEvictionsCsv(report, nodes,
                                     [&](std::string_view piece) { return csv += piece, true; }));
  EXPECT_THAT(csv, HasSubstr("\"no,de\"\"3\n\",1970"));
  EXPECT_THAT(csv, HasSubstr(",\"default/leak,\"\"\n'\","));
}

}  // namespace
}  // namespace jettison
