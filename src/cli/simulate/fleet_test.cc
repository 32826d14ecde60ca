// A fleet in shards: the same bytes however it is cut, and one bad recording costs itself only.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/fleet/part_files.h"
#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/fleet_files.h"
#include "cli/simulate/node_source.h"
#include "cli/simulate/simulate_shard.h"
#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "sim/fleet/fleet_report.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr int kNodes = 9;

class FleetTest : public FleetBed {
 protected:
  // Simulates a shard; the exit status.
  int Simulate(FleetShard shard, const std::string& out, std::size_t jobs = 1,
               bool resume = false) {
    const auto forms = ReadCandidates({.policy_files = {}, .sweeps = sweeps_});
    EXPECT_TRUE(forms);
    ::testing::internal::CaptureStderr();
    const int status = SimulateShard({.paths = {Path("fleet")},
                                      .run = {.path = "", .candidates = *forms},
                                      .shard = shard,
                                      .options = {{"evicted", "auto"}},
                                      .out = Path(out),
                                      .jobs = jobs,
                                      .resume = resume});
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  void SimulateAll(std::uint64_t count, const std::string& folder) {
    std::filesystem::create_directories(Path(folder));
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(Simulate({i, count}, folder + "/"), 0) << said_;
    }
  }
  // Everything that can be said of the parts, or why nothing can.
  [[nodiscard]] static std::string MergedOf(const std::vector<std::string>& paths,
                                            bool partial = false) {
    FleetTotals totals(3);
    TopNodes top(5);
    auto parts = PartFiles::Read(paths, partial, [&](const FleetNode& node) {
      totals.Add(node);
      top.Add(node);
    });
    if (!parts) return parts.error().message;
    const FleetReport report{
        .manifest = parts->manifest(), .totals = totals, .missing_shards = parts->missing_shards()};
    NoteList notes;
    DamageList damage;
    const VisitNodes nodes = [&](const auto& visit) { return parts->Visit(visit); };
    EXPECT_TRUE(nodes([&](const FleetNode& node) {
      notes.Add(node.notes);
      damage.Add(node);
      return true;
    }));
    std::string out = FleetText(report, top, notes, damage);
    const PutPiece put = [&out](std::string_view piece) { return out += piece, true; };
    EXPECT_TRUE(WriteFleetJson(report, nodes, put));
    EXPECT_TRUE(WriteFleetNodesCsv(report, nodes, put));
    EXPECT_TRUE(WriteFleetEvictionsCsv(report, nodes, put));
    return out + FleetPoliciesCsv(report);
  }
  [[nodiscard]] std::vector<std::string> PartsIn(const std::string& folder) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(Path(folder))) {
      paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }
  std::vector<std::string> sweeps_ = {"evictionHard.memory.available=24Mi,64Mi"};
  std::string said_;
};

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

// Writes into a pipe from a thread of its own, as the process at its other end does.
std::jthread Feed(std::string bytes, std::function<int()> open) {
  return std::jthread([bytes = std::move(bytes), open = std::move(open)] {
    const FileDescriptor pipe(open());
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const ssize_t written = ::write(pipe.get(), rest.data(), rest.size());
      ASSERT_GT(written, 0);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  });
}

TEST_F(FleetTest, PartsThatCanBeReadOnlyOnceGiveTheSameResult) {
  PutFleet(kNodes);
  SimulateAll(3, "parts");
  std::vector<std::string> parts = PartsIn("parts");
  const std::string whole = MergedOf(parts);
  // As a shell substitutes a process.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  {
    const FileDescriptor reader(ends[0]);
    const auto feeder = Feed(*kernel::ReadFile(parts[0]), [end = ends[1]] { return end; });
    parts[0] = "/dev/fd/" + std::to_string(reader.get());
    ASSERT_EQ(MergedOf(parts), whole);
  }
  const std::vector<std::string> fifos = {Path("one"), Path("other")};
  for (const std::string& fifo : fifos) ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::vector<std::jthread> feeders;
  parts = PartsIn("parts");
  for (std::size_t i = 0; i < fifos.size(); ++i) {
    feeders.push_back(Feed(*kernel::ReadFile(parts[i]), [fifo = fifos[i]] {
      return ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
    }));
    parts[i] = fifos[i];
  }
  EXPECT_EQ(MergedOf(parts), whole);
}

TEST_F(FleetTest, APartInAPipeIsNamedByItsFaults) {
  const auto merged_of = [this](const std::string& bytes) {
    const std::string fifo = Path("fifo");
    std::filesystem::remove(fifo);
    EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const auto feeder = Feed(bytes, [fifo] { return ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC); });
    return MergedOf({fifo});
  };
  EXPECT_EQ(merged_of(""), Path("fifo") + ": the file is empty");
  EXPECT_THAT(merged_of("{}\n"), StartsWith(Path("fifo") + ":1: "));
}

TEST_F(FleetTest, WhatRecordingsSayOfThemselvesIsToldOnceForAllNodes) {
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
  SimulateAll(2, "parts");
  const std::string merged = MergedOf({Path("parts")});
  EXPECT_THAT(merged, HasSubstr("\nNOTES  what the recordings say of themselves\n"
                                "  - of 2 of 3 nodes: swap is not known\n"
                                "  - of 1 of 3 nodes: of a alone\n"));
  EXPECT_THAT(merged, HasSubstr(R"("notes":["swap is not known","of c alone"])"));
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

TEST_F(FleetTest, TwoRecordingsOfANodeAreOneHoweverTheyOverlap) {
  const auto items = LifeOf("n", 7, std::chrono::seconds(60));
  const auto part = [&](std::size_t from, std::size_t to) {
    std::vector<RecordedItem> some = {items.front()};
    some.insert(some.end(), items.begin() + static_cast<std::ptrdiff_t>(from),
                items.begin() + static_cast<std::ptrdiff_t>(to));
    return some;
  };
  Put("fleet/all.jtr", BinaryOf(items));
  ASSERT_EQ(Simulate({0, 1}, "all.part"), 0) << said_;
  const std::string whole = MergedOf({Path("all.part")});
  std::filesystem::remove(Path("fleet/all.jtr"));
  Put("fleet/z.jtr", BinaryOf(part(1, 40), {.passes = 8}));
  Put("fleet/y.ndjson", NdjsonOf(part(30, 50)));
  Put("fleet/x.jtr", BinaryOf(part(45, items.size()), {.passes = 8}));
  ASSERT_EQ(Simulate({0, 1}, "cut.part"), 0) << said_;
  // Beside the recordings themselves nothing differs.
  const auto evictions = [](const std::string& text) {
    return text.substr(text.find("\nnode,at"));
  };
  EXPECT_EQ(evictions(MergedOf({Path("cut.part")})), evictions(whole));
  const auto known = ReadPart(Path("cut.part"));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->inputs.front().name, "z.jtr");
  EXPECT_THAT(known->inputs, SizeIs(3));
}

// An agent that was started anew.
std::vector<RecordedItem> TwoStartsOf(const std::string& node) {
  auto items = LifeOf(node, 7, std::chrono::seconds(60));
  const std::size_t half = items.size() / 2;
  auto about = std::get<RecordingAbout>(items.front());
  about.at = WhenOf(items[half]) - std::chrono::milliseconds(1);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(half), about);
  return items;
}

TEST_F(FleetTest, TwoRecordingsOfANodeAreOneWhereAStartLiesInWhatBothHave) {
  const auto items = TwoStartsOf("n");
  const auto evictions_of = [&](const std::string& part) {
    EXPECT_EQ(Simulate({0, 1}, part), 0) << said_;
    const auto known = ReadPart(Path(part));
    EXPECT_TRUE(known);
    const std::string text = MergedOf({Path(part)});
    return text.substr(text.find("\nnode,at"));
  };
  Put("fleet/x.jtr", BinaryOf(items, {.passes = 8}));
  const std::string whole = evictions_of("one.part");
  EXPECT_THAT(whole, HasSubstr("\nn,1970"));
  for (const std::string& copy : {BinaryOf(items, {.passes = 8}), NdjsonOf(items)}) {
    Put("fleet/y.jtr", copy);
    EXPECT_EQ(evictions_of("two.part"), whole);
  }
  // The second one goes on after the first one's end.
  const std::vector<RecordedItem> early(items.begin(), items.end() - 10);
  Put("fleet/x.jtr", BinaryOf(early, {.passes = 8}));
  EXPECT_EQ(evictions_of("later.part"), whole);
}

TEST_F(FleetTest, WhatIsNewOfAnEarlierStartIsToldWithItsStart) {
  const auto items = TwoStartsOf("n");
  const auto second = std::ranges::find_if(items.begin() + 1, items.end(), [](const auto& item) {
    return std::holds_alternative<RecordingAbout>(item);
  });
  // The first recording lacks the last three passes before the second start.
  std::vector<RecordedItem> holed(items.begin(), second - 3);
  holed.insert(holed.end(), second, items.end());
  Put("fleet/x.jtr", BinaryOf(holed));
  Put("fleet/y.jtr", BinaryOf({items.begin(), second}));
  const auto files = FindRecordings({Path("fleet")});
  ASSERT_TRUE(files);
  const FleetNodeFiles node{.node = "n", .files = *files};
  NodeSource source(node);
  std::vector<RecordedItem> told;
  for (auto next = source.Next(); next && *next; next = source.Next()) told.push_back(**next);
  ASSERT_EQ(told.size(), items.size() + 1);
  EXPECT_EQ(std::get<RecordingAbout>(told[holed.size()]), std::get<RecordingAbout>(items.front()));
  EXPECT_EQ(WhenOf(told.back()), WhenOf(*(second - 1)));
}

TEST_F(FleetTest, DamagedRecordingsAreNamedAndCostThemselvesOnly) {
  PutFleet(3);
  ASSERT_EQ(Simulate({0, 1}, "good.part"), 0);
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
  ASSERT_EQ(Simulate({0, 1}, "all.part"), 2);
  for (const char* name : {"cut.jtr: ", "hurt.jtr: ", "foreign.jtr: ", "table.ndjson: ",
                           "mixed.jtr: ", "node empty: its recordings have no pass"}) {
    EXPECT_THAT(said_, HasSubstr(name));
  }
  EXPECT_THAT(said_, HasSubstr("bytes are passed over"));
  EXPECT_THAT(said_, HasSubstr("another node, other, and is left out"));
  const std::string merged = MergedOf({Path("all.part")});
  EXPECT_THAT(merged, HasSubstr("DAMAGED  5 of 10 recordings, 3 nodes without any pass"));
  // The others have all that they had without them.
  const std::string good = MergedOf({Path("good.part")});
  const std::size_t from = good.find("\nnode,at");
  std::istringstream rows(good.substr(from, good.find("\npolicy,") - from));
  for (std::string row; std::getline(rows, row);) EXPECT_THAT(merged, HasSubstr(row));
  for (const char* saved : {"\ncut,1970", "\nhurt,1970", "\nmixed,1970"}) {
    EXPECT_THAT(merged, HasSubstr(saved));
  }
}

TEST_F(FleetTest, ANodeWhoseProcessThrowsCostsItselfOnly) {
  Put("fleet/a.jtr", BinaryOf(LifeOf("a", 1)));
  const auto throws_for_b = [](const RecordedPass& first) -> std::vector<CandidatePolicy> {
    const auto leak =
        std::ranges::find(first.pods, "uid-leak-b", [](const auto& pod) { return pod->pod.uid; });
    if (leak != first.pods.end()) throw std::bad_alloc();
    return {};
  };
  Put("fleet/b.jtr", BinaryOf(LifeOf("b", 1, std::chrono::seconds(60), "-b")));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(SimulateShard({.paths = {Path("fleet")},
                           .run = {.path = "", .candidates = {}, .more = throws_for_b},
                           .shard = {0, 1},
                           .options = {},
                           .out = Path("p.part"),
                           .jobs = 1}),
            1);
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("std::bad_alloc"), HasSubstr("node b: its process ended with status 1")));
  const auto known = ReadPart(Path("p.part"));
  ASSERT_TRUE(known);
  ASSERT_THAT(known->inputs, SizeIs(2));
  EXPECT_FALSE(known->inputs[0].unread);
  EXPECT_TRUE(known->inputs[1].unread);
}

TEST_F(FleetTest, WhatCannotBeReadIsNamedAndTriedAgain) {
  PutFleet(2);
  std::filesystem::create_directories(Path("fleet/dir"));
  std::filesystem::create_symlink(Path("nowhere"), Path("fleet/gone.jtr"));
  EXPECT_EQ(Simulate({0, 1}, "a.part"), 0);  // a link to nothing is no file
  std::filesystem::remove(Path("fleet/gone.jtr"));
  // A file that was there when the fleet was looked through.
  const auto files = FindRecordings({Path("fleet")});
  ASSERT_TRUE(files);
  FleetNodeFiles node{.node = "n", .files = *files};
  node.files[0].path = Path("fleet/vanished.jtr");
  NodeSource source(node);
  const auto next = source.Next();
  ASSERT_TRUE(next);
  const auto inputs = source.TakeInputs();
  EXPECT_TRUE(inputs[0].unread);
  EXPECT_THAT(inputs[0].faults, ElementsAre(HasSubstr("vanished.jtr: No such file")));
  EXPECT_FALSE(inputs[1].unread);
  EXPECT_NE(inputs[1].hash, "");
}

// A pipe that was looked into has lost its beginning when it is read again.
TEST_F(FleetTest, APipeIsRefused) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  const auto files = FindRecordings({Path("pipe")});
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, HasSubstr("pipe: must be a regular file or a folder"));
}

TEST_F(FleetTest, APartThatIsThereIsLeftWhereNothingHasChanged) {
  PutFleet(4);
  ASSERT_EQ(Simulate({0, 2}, "p.part", 1, true), 0);
  const auto made = std::filesystem::last_write_time(Path("p.part"));
  ASSERT_EQ(Simulate({0, 2}, "p.part", 1, true), 0);
  EXPECT_THAT(said_, HasSubstr("p.part is complete"));
  EXPECT_EQ(std::filesystem::last_write_time(Path("p.part")), made);
  const auto is_made_again = [&] {
    EXPECT_EQ(Simulate({0, 2}, "p.part", 1, true), 0);
    const bool again = said_.find("complete") == std::string::npos;
    return again && ReadPart(Path("p.part")).has_value();
  };
  std::filesystem::resize_file(Path("p.part"), std::filesystem::file_size(Path("p.part")) - 3);
  EXPECT_TRUE(is_made_again());
  sweeps_ = {"evictionHard.memory.available=24Mi,65Mi"};
  EXPECT_TRUE(is_made_again());
  Put("fleet/new.jtr", BinaryOf(LifeOf("new", 9)));
  EXPECT_TRUE(is_made_again());
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
