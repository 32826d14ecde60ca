// What the recordings of a fleet hold: several of a node are one, and one that is bad costs itself
// only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class FleetRecordings : public ShardBed {
 protected:
  SimulationReport ReportOf(const std::string& name) { return RunOver({}, NodeAt(name)); }
};

TEST_F(FleetRecordings, WhatRecordingsSayOfThemselvesIsToldOnceForAllNodes) {
  for (const std::string node : {"a", "b", "c"}) {
    auto items = LifeOf(node, 1);
    items.insert(items.begin() + 1,
                 RecordedNote{.at = WhenOf(items.front()), .text = "of " + node + " alone"});
    if (node != "b") {
      items.insert(items.begin() + 1,
                   RecordedNote{.at = WhenOf(items.front()), .text = "swap is not known"});
    }
    Put("fleet/" + node + ".jtr", BinaryOf(items));
  }
  SimulateAll(2, "results");
  const std::string merged = SumOf({Path("results")});
  EXPECT_THAT(merged, HasSubstr("\nNOTES  what the recordings say of themselves\n"
                                "  - of 2 of 3 nodes: swap is not known\n"
                                "  - of 1 of 3 nodes: of a alone\n"));
  EXPECT_THAT(merged, HasSubstr(R"("notes":["swap is not known","of c alone"])"));
}

TEST_F(FleetRecordings, TwoRecordingsOfANodeAreOneHoweverTheyOverlap) {
  const auto items = LifeOf("n", 7, std::chrono::seconds(60));
  const auto part = [&](std::size_t from, std::size_t to) {
    std::vector<RecordedItem> some = {items.front()};
    some.insert(some.end(), items.begin() + static_cast<std::ptrdiff_t>(from),
                items.begin() + static_cast<std::ptrdiff_t>(to));
    return some;
  };
  Put("fleet/all.jtr", BinaryOf(items));
  ASSERT_EQ(Simulate({0, 1}, "all.ndjson"), 0) << said_;
  const std::string whole = SumOf({Path("all.ndjson")});
  std::filesystem::remove(Path("fleet/all.jtr"));
  Put("fleet/z.jtr", BinaryOf(part(1, 40), {.passes = 8}));
  Put("fleet/y.ndjson", NdjsonOf(part(30, 50)));
  Put("fleet/x.jtr", BinaryOf(part(45, items.size()), {.passes = 8}));
  ASSERT_EQ(Simulate({0, 1}, "cut.ndjson"), 0) << said_;
  // Beside the recordings themselves nothing differs.
  const auto evictions = [](const std::string& text) {
    const std::size_t from = text.find(R"("passes":)");
    return text.substr(from, text.find(R"("totals":)") - from);
  };
  EXPECT_EQ(evictions(SumOf({Path("cut.ndjson")})), evictions(whole));
  const auto inputs = InputsIn("cut.ndjson");
  ASSERT_THAT(inputs, SizeIs(3));
  EXPECT_EQ(inputs.front().name, "z.jtr");
}

TEST_F(FleetRecordings, DamagedRecordingsAreNamedAndCostThemselvesOnly) {
  PutFleet(3);
  ASSERT_EQ(Simulate({0, 1}, "good.ndjson"), 0);
  const std::string cut = BinaryOf(LifeOf("cut", 1), {.passes = 10});
  Put("fleet/cut.jtr", cut.substr(0, cut.size() * 2 / 3));
  std::string hurt = BinaryOf(LifeOf("hurt", 2), {.passes = 10});
  hurt[hurt.size() / 2] = static_cast<char>(hurt[hurt.size() / 2] ^ 0x55);
  Put("fleet/hurt.jtr", hurt);
  Put("fleet/foreign.jtr", "This is a letter, and no recording.\n");
  Put("fleet/empty.jtr", "");
  Put("fleet/table.ndjson", "{\"rows\":[1,2,3]}\n");
  auto mixed = LifeOf("mixed", 3);
  for (const RecordedItem& item : LifeOf("other", 4)) mixed.push_back(item);
  Put("fleet/mixed.jtr", BinaryOf(mixed));
  ASSERT_EQ(Simulate({0, 1}, "all.ndjson"), 2);
  for (const char* name :
       {"cut.jtr: ", "hurt.jtr: ", "foreign.jtr: ", "table.ndjson:", "mixed.jtr: ",
        "node empty: empty.jtr is empty", "node foreign: its recordings have no pass"}) {
    EXPECT_THAT(said_, HasSubstr(name));
  }
  EXPECT_THAT(said_, HasSubstr("bytes are passed over"));
  EXPECT_THAT(said_, HasSubstr("another node, other, and is left out"));
  const std::string merged = SumOf({Path("all.ndjson")});
  EXPECT_THAT(merged, HasSubstr("DAMAGED  5 of 10 recordings, 3 nodes without any pass"));
  // The others have all that they had without them.
  const std::string good = SumOf({Path("good.ndjson")});
  std::istringstream lines(good);
  std::size_t nodes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{\"recording\":")) continue;
    ++nodes;
    EXPECT_THAT(merged, HasSubstr(line.substr(0, line.find_last_of('}') + 1)));
  }
  EXPECT_EQ(nodes, 3U);
  for (const char* saved : {"cut", "hurt", "mixed"}) {
    EXPECT_THAT(merged, HasSubstr(fmt::format(R"("node":"{}","from":"1970)", saved)));
  }
}

TEST_F(FleetRecordings, WhatIsNoRecordingAtAllSaysWhereAndWhy) {
  Put("letter.txt", "Dear reader\n");
  const auto [letters, of_letter] = SimulateNodes({}, {NodeAt("letter.txt")});
  const SimulationReport& letter = letters.front();
  EXPECT_THAT(letter.Faults()[0], HasSubstr("letter.txt: byte 0: not a Jettison recording"));
  EXPECT_EQ(of_letter, 2);
  const auto [folders, of_folder] = SimulateNodes({}, {NodeAt("")});
  const SimulationReport& folder = folders.front();
  EXPECT_THAT(folder.Faults()[0], HasSubstr("it is a folder"));
  EXPECT_EQ(of_folder, 1);
}

TEST_F(FleetRecordings, WhatCannotBeReadIsNamedAndTriedAgain) {
  PutFleet(2);
  std::filesystem::create_directories(Path("fleet/dir"));
  std::filesystem::create_symlink(Path("nowhere"), Path("fleet/gone.jtr"));
  EXPECT_EQ(Simulate({0, 1}, "a.ndjson"), 0);  // a link to nothing is no file
  std::filesystem::remove(Path("fleet/gone.jtr"));
  // A file that was there when the fleet was looked through.
  CommandFaults faults;
  FleetNodeFiles node{.node = "n", .files = FindRecordings({Path("fleet")}, faults)};
  ASSERT_EQ(faults.status(), 0);
  node.files[0].path = Path("fleet/vanished.jtr");
  NodeSource source(node);
  while (source.Next()) continue;
  const auto inputs = source.TakeInputs();
  EXPECT_TRUE(inputs[0].unread);
  EXPECT_THAT(inputs[0].faults, ElementsAre(HasSubstr("vanished.jtr: No such file")));
  EXPECT_FALSE(inputs[1].unread);
  EXPECT_GT(inputs[1].bytes, 0U);
}

TEST_F(FleetRecordings, TwoCopiesOneAfterTheOtherCountOnce) {
  const auto items = LifeOf("n", 5);
  const std::string scenario =
      kernel::ReadFile(JETTISON_TESTDATA "/../../docs/how-to/node.ndjson").value();
  for (const std::string& one : {BinaryOf(items), NdjsonOf(items), scenario}) {
    Put("one", one);
    Put("two", one + one);
    const SimulationReport single = ReportOf("one");
    const SimulationReport twice = ReportOf("two");
    EXPECT_GT(single.facts.passes, 0U);
    EXPECT_EQ(twice.facts.passes, single.facts.passes);
    EXPECT_EQ(twice.outcomes[0].evictions.size(), single.outcomes[0].evictions.size());
    EXPECT_EQ(twice.outcomes[0].idle_byte_seconds, single.outcomes[0].idle_byte_seconds);
  }
}

}  // namespace
}  // namespace jettison
