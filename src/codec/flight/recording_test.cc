#include "core/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "codec/flight/messages.h"
#include "codec/flight/recording_bed.h"
#include "codec/recordings/replay_writer.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Where a recording is cut or damaged: everywhere about where chunks begin, and here and there.
std::vector<std::size_t> PlacesIn(const WrittenRecording& whole) {
  std::vector<std::size_t> places;
  std::size_t chunk = 0;
  for (std::size_t at = 0; at < whole.bytes.size(); ++at) {
    while (chunk + 1 < whole.chunks.size() && whole.chunks[chunk + 1] <= at) ++chunk;
    const std::size_t in_chunk = at - whole.chunks[chunk];
    if (in_chunk < 18 || in_chunk % 499 == 0 || whole.bytes.size() - at < 4) places.push_back(at);
  }
  return places;
}

const RecordedPass* PassIn(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass == nullptr ? nullptr : pass->get();
}

std::string ReportText(const CycleReport& report) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] { WriteReport(report, json); });
  return text;
}

std::string TextOf(const Evaluation& evaluation) {
  recording::Evaluation message;
  ToMessage(evaluation, message);
  return message.DebugString();
}

std::string LinesOf(const std::vector<RecordedItem>& items) {
  std::string lines;
  LineWriter writer([&](std::string_view line) -> Result<void> {
    lines += line;
    return {};
  });
  for (const RecordedItem& item : items) EXPECT_TRUE(writer.Add(item));
  EXPECT_TRUE(writer.Finish());
  return lines;
}

TEST(FlightRecording, EveryItemIsReadAsItWasWritten) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const auto items = SomeRecording(seed);
    const ChunkLimits limits{.passes = 1 + seed % 8};
    const ReadRecording read = ReadAll(Written(items, limits).bytes, 1 + seed * 500);
    EXPECT_THAT(read.faults, IsEmpty());
    ASSERT_EQ(HashesOf(read.items), HashesOf(items)) << seed;
    const ReadRecording lines = ReadAll(LinesOf(items), 1 + seed * 500);
    EXPECT_THAT(lines.faults, IsEmpty());
    ASSERT_EQ(HashesOf(lines.items), HashesOf(items)) << seed;
  }
}

// Replays each pass; how many evictions there were.
std::size_t EvictionsReplayedIdentically(const std::vector<RecordedItem>& items) {
  std::size_t evictions = 0;
  Profile profile = Profile::kKubelet;
  for (const RecordedItem& item : items) {
    if (const auto* about = std::get_if<RecordingAbout>(&item)) profile = about->profile;
    const RecordedPass* pass = PassIn(item);
    if (pass == nullptr) continue;
    const auto outcomes = Replay(ScenarioOf(*pass, profile));
    EXPECT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(ReportText(outcomes.at(0).report), ReportText(pass->report));
    EXPECT_EQ(TextOf(outcomes.at(0).report.evaluation), TextOf(pass->report.evaluation));
    evictions += pass->report.evictions.size();
  }
  return evictions;
}

TEST(FlightRecording, EachPassReplaysToTheIdenticalReport) {
  std::size_t evictions = 0;
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    evictions += EvictionsReplayedIdentically(ReadAll(Written(SomeRecording(seed)).bytes).items);
  }
  EXPECT_GT(evictions, 100U) << "the passes are too peaceful to prove anything";
}

// Whoever waits is the one that would have gone.
TEST(FlightRecording, WaitingNeverChangesWhoTheVictimIs) {
  std::size_t waits = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Scenario scenario = SomeRecordedScenario(seed);
    for (RecordedPass& pass : RecordedPassesOf(scenario)) {
      if (!pass.report.pause) continue;
      const auto pace = std::exchange(pass.pace, std::nullopt);
      const CycleReport report = Replay(ScenarioOf(pass, scenario.profile)).at(0).report;
      ASSERT_EQ(report.evictions.size(), 1U);
      // A pace of a less urgent signal says that evictions for more urgent ones wait.
      if (report.ranked_for != pace->signal) continue;
      ++waits;
      EXPECT_EQ(report.evictions[0].order.pod_uid, pass.report.pause->pod_uid);
      EXPECT_EQ(report.ranking, pass.report.ranking);
    }
  }
  EXPECT_GT(waits, 10U) << "nobody had to wait";
}

// The members of what is recorded are its fields, in their order: were two of them to change
// places, this recording of an earlier version would be read as another one.
TEST(FlightRecording, ARecordingOfAnEarlierVersionReplaysToTheIdenticalReports) {
  std::ifstream file(JETTISON_ROOM_TESTDATA "/jettison-0.2.jtr", std::ios::binary);
  const ReadRecording read = ReadAll(std::string(std::istreambuf_iterator<char>(file), {}));
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.items.size(), 22U);
  EXPECT_EQ(EvictionsReplayedIdentically(read.items), 12U);
}

TEST(FlightRecording, FactsOfPodsAreThoseOfTheRedactedPod) {
  Pod pod{.name = "a", .namespace_ = "b", .uid = "c"};
  pod.containers.push_back({.name = "main", .image = "i"});
  pod.containers[0].env.push_back({.name = "PASSWORD", .value = "hunter2"});
  auto facts = std::make_shared<PodFacts>(FactsOf(pod, Profile::kKubelet));
  facts->protection = Protection::kObserved;
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  pass->pods = {facts};
  const RecordedItem item = std::shared_ptr<const RecordedPass>(std::move(pass));
  EXPECT_THAT(TextOfItem(item), Not(HasSubstr("hunter2")));
  const ReadRecording read = ReadAll(Written({RecordingAbout{.node = "n"}, item}).bytes);
  ASSERT_THAT(read.items, SizeIs(2));
  EXPECT_EQ(TextOfItem(read.items[1]), TextOfItem(item));
  EXPECT_EQ(PassIn(read.items[1])->pods[0]->protection, Protection::kObserved);
}

// What was added is written in whole frames, which are read without what follows.
TEST(FlightRecording, WhatIsFlushedIsReadBeforeTheChunkEnds) {
  const auto items = SomeRecording(7, 1);
  std::string bytes;
  RecordingWriter writer([&](std::string_view frames) -> Result<void> {
    bytes += frames;
    return {};
  });
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSERT_TRUE(writer.Add(items[i]));
    ASSERT_TRUE(writer.Flush());
    const ReadRecording read = ReadAll(bytes);
    EXPECT_THAT(read.faults, IsEmpty());
    ASSERT_EQ(HashesOf(read.items),
              HashesOf({items.begin(), items.begin() + std::ptrdiff_t(i) + 1}));
  }
  EXPECT_EQ(ReadAll(bytes).found.chunks, 1U);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THAT(ReadAll(bytes).faults, SizeIs(1));
  EXPECT_GT(ReadAll(bytes).items.size(), 2U);
}

TEST(FlightRecording, AChunkThatCannotBeWrittenIsMissing) {
  const auto items = SomeRecording(7, 1);
  std::string bytes;
  bool is_broken = false;
  RecordingWriter writer([&](std::string_view frames) -> Result<void> {
    if (is_broken) return Fail(ErrorCode::kInternal, "no");
    bytes += frames;
    return {};
  });
  for (const RecordedItem& item : items) {
    (void)writer.Add(item);
    is_broken = WhenOf(item) == WhenOf(items[3]);
    EXPECT_EQ(writer.Flush().has_value(), !is_broken);
  }
  const ReadRecording read = ReadAll(bytes);
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.found.chunks_missing, 1U);
}

// Of any beginning of a recording the chunks that are whole are read, and the rest is named.
TEST(FlightRecording, OfATruncatedOneTheWholeChunksAreRead) {
  const auto items = SomeRecording(7, 2);
  const WrittenRecording whole = Written(items, {.passes = 4});
  const auto expected = HashesOf(items);
  for (const std::size_t size : PlacesIn(whole)) {
    const ReadRecording read = ReadAll(std::string_view(whole.bytes).substr(0, size));
    auto got = HashesOf(read.items);
    const auto* gap = read.items.empty() ? nullptr : std::get_if<RecordedGap>(&read.items.back());
    const bool ends_in_loss = gap != nullptr && gap->why.find("byte") != std::string::npos;
    if (ends_in_loss) got.pop_back();
    ASSERT_LE(got.size(), expected.size());
    ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin())) << size;
    const bool is_cut = size > 0 && !std::ranges::count(whole.chunks, size);
    ASSERT_EQ(read.faults.size(), is_cut ? 1U : 0U) << size;
    ASSERT_EQ(ends_in_loss, is_cut && !read.items.empty()) << size;
    const auto whole_chunks =
        std::ranges::count_if(whole.chunks, [&](std::size_t at) { return at <= size; }) - 1;
    ASSERT_EQ(std::ptrdiff_t(read.found.chunks), std::max<std::ptrdiff_t>(whole_chunks, 0));
  }
}

// A bit that changed costs one chunk, wherever it is.
TEST(FlightRecording, ADamagedChunkIsNamedAndTheOthersAreRead) {
  const auto items = SomeRecording(9, 2);
  const WrittenRecording whole = Written(items, {.passes = 2});
  for (const std::size_t at : PlacesIn(whole)) {
    std::string bytes = whole.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    const ReadRecording read = ReadAll(bytes);
    ASSERT_THAT(read.faults, SizeIs(1)) << at;
    ASSERT_EQ(read.found.chunks + 1, whole.chunks.size()) << at;
    ASSERT_THAT(read.faults[0], HasSubstr("damaged"));
    const auto gaps = std::ranges::count_if(read.items, [](const RecordedItem& item) {
      const auto* gap = std::get_if<RecordedGap>(&item);
      return gap != nullptr && gap->why.find("byte") != std::string::npos;
    });
    ASSERT_EQ(gaps, 1) << at;
  }
}

TEST(FlightRecording, AMissingChunkIsAGap) {
  const WrittenRecording whole = Written(SomeRecording(9, 1), {.passes = 1});
  std::string bytes = whole.bytes;
  bytes.erase(whole.chunks[2], whole.chunks[4] - whole.chunks[2]);
  const ReadRecording read = ReadAll(bytes);
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.found.chunks_missing, 2U);
  const auto gap = std::ranges::find_if(read.items, [](const RecordedItem& item) {
    return std::holds_alternative<RecordedGap>(item);
  });
  ASSERT_NE(gap, read.items.end());
  EXPECT_EQ(std::get<RecordedGap>(*gap).why, "2 chunks of the recording are missing");
  EXPECT_LT(std::get<RecordedGap>(*gap).from, std::get<RecordedGap>(*gap).to);
}

TEST(FlightRecording, WhatIsNoRecordingSaysSo) {
  for (const std::string& foreign :
       {std::string("name: x\n"), std::string(200'000, 'x'), std::string(1, '\0')}) {
    const ReadRecording read = ReadAll(foreign);
    EXPECT_THAT(read.items, IsEmpty());
    EXPECT_THAT(read.faults, ElementsAre(HasSubstr("not a Jettison recording")));
    EXPECT_EQ(read.found.damaged_bytes, foreign.size());
  }
}

TEST(FlightRecording, AsALineEachFigureOfAPodHasItsOwnName) {
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  pass->summary.pods = {{.uid = "u",
                         .name = "n",
                         .namespace_ = "s",
                         .process_count = 2,
                         .memory_working_set_bytes = 3,
                         .containers = {{.name = "c"}},
                         .volumes = {{.name = "v", .usage = {}}},
                         .ephemeral_storage = FsUsage{.used_bytes = 4, .inodes_used = {}},
                         .stale_disk = StaleDisk{},
                         .has_memory = true,
                         .swap_bytes = 5,
                         .io_some_avg10 = 6}};
  const std::string lines =
      LinesOf({RecordingAbout{.node = "a"}, std::shared_ptr<const RecordedPass>(std::move(pass))});
  EXPECT_THAT(
      lines,
      HasSubstr(R"({"uid":"u","name":"n","namespace":"s","processCount":"2","workingSetBytes":"3",)"
                R"("containers":[{"name":"c"}],"volumes":[{"name":"v","usage":{}}],)"
                R"("ephemeralStorage":{"usedBytes":"4"},"staleDisk":{},"hasMemory":true,)"
                R"("swapBytes":"5","ioSomeAvg10":"6"})"));
}

TEST(FlightRecording, AFaultNamesItsLineAndTheOthersAreRead) {
  const std::string about = R"({"about":{"at":"2026-01-01T00:00:00Z","node":"n"}})";
  const struct {
    std::string line;
    std::string fault;
  } faults[] = {
      {"{", "line 2: "},
      {"[]", "line 2: "},
      {R"({"pod":{"id":1}})", "line 2: a pod"},
      {R"({"pod":{"id":-1}})", "line 2: "},
      {R"({"pod":{"id":1,"source":"MOON","manifest":"{}"}})", "line 2: "},
      {R"({"gap":{"from":"yesterday"}})", "line 2: "},
      {R"({"pass":{}})", "line 2: a pass has no time"},
      {R"({"pass":{"at":"2026-01-01T00:00:00Z","policy":7}})", "line 2: policy 7 was not told"},
      {R"({"weather":{}})", "line 2: "},
  };
  for (const auto& [line, fault] : faults) {
    std::string text = about + "\n";
    text += line + "\n\n" + R"({"oomKill":{"at":"2026-01-01T00:00:01Z","pod":"u"}})" + "\n";
    const ReadRecording read = ReadAll(text);
    EXPECT_THAT(read.faults, ElementsAre(HasSubstr(fault)));
    ASSERT_THAT(read.items, SizeIs(3));
    EXPECT_EQ(std::get<RecordedGap>(read.items[1]).why, "line 2 could not be read");
  }
}

}  // namespace
}  // namespace jettison
