#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/flight/recording_bed.h"
#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_writer.h"
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

TEST(FlightRecording, EveryItemIsReadAsItWasWritten) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const auto items = SomeRecording(seed);
    const ChunkLimits limits{.passes = 1 + seed % 8};
    const ReadRecording read = ReadAll(Written(items, limits).bytes, nullptr, 1 + seed * 500);
    EXPECT_THAT(read.faults, IsEmpty());
    ASSERT_EQ(HashesOf(read.items), HashesOf(items)) << seed;
  }
}

TEST(FlightRecording, EachPassReplaysToTheIdenticalReport) {
  std::size_t evictions = 0;
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    Profile profile = Profile::kKubelet;
    for (const RecordedItem& item : ReadAll(Written(SomeRecording(seed)).bytes).items) {
      if (const auto* about = std::get_if<RecordingAbout>(&item)) profile = about->profile;
      const RecordedPass* pass = PassIn(item);
      if (pass == nullptr) continue;
      const auto outcomes = Replay(ScenarioOf(*pass, profile));
      ASSERT_EQ(outcomes.size(), 1U);
      ASSERT_EQ(ReportText(outcomes[0].report), ReportText(pass->report));
      ASSERT_EQ(BytesOf(outcomes[0].report.evaluation), BytesOf(pass->report.evaluation));
      evictions += pass->report.evictions.size();
    }
  }
  EXPECT_GT(evictions, 100U) << "the passes are too peaceful to prove anything";
}

TEST(FlightRecording, FactsOfPodsAreThoseOfTheRedactedPod) {
  Pod pod{.name = "a", .namespace_ = "b", .uid = "c"};
  pod.containers.push_back({.name = "main", .image = "i"});
  pod.containers[0].env.push_back({.name = "PASSWORD", .value = "hunter2"});
  PodFacts facts = FactsOf(pod, Profile::kKubelet);
  facts.protection = Protection::kObserved;
  const PodEntry entry = EntryOf(facts);
  EXPECT_THAT(entry.json, Not(HasSubstr("hunter2")));
  const auto read = FactsOf(entry, Profile::kKubelet);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(EntryOf(**read), entry);
  EXPECT_EQ((*read)->protection, Protection::kObserved);
}

TEST(FlightRecording, AStateThatFollowsIsNotTold) {
  Scenario scenario = SomeScenario(4);
  std::vector<RecordedItem> items = {RecordingAbout{.at = scenario.start, .node = "n"}};
  for (RecordedItem& item : ItemsOf(scenario)) items.push_back(std::move(item));
  ChunkWriter follows(std::get<RecordingAbout>(items[0]), 0);
  ChunkWriter does_not(std::get<RecordingAbout>(items[0]), 0);
  for (const RecordedItem& item : items) {
    if (PassIn(item) == nullptr) continue;
    follows.Add(*PassIn(item));
    RecordedPass other = *PassIn(item);
    other.before.first_observed_at[7] = Instant(std::chrono::seconds(other.number));
    does_not.Add(other);
  }
  EXPECT_LT(follows.bytes() + 500, does_not.bytes());
}

TEST(FlightRecording, AnItemBeforeWhoseRecordingItIsIsRefused) {
  RecordingWriter writer([](std::string_view) -> Result<void> { return {}; });
  EXPECT_FALSE(writer.Add(RecordedGap{}));
  EXPECT_TRUE(writer.Finish());
}

TEST(FlightRecording, AStartWithoutAnythingBehindItIsKept) {
  const std::vector<RecordedItem> items = {RecordingAbout{.node = "a"},
                                           RecordingAbout{.node = "b"}};
  EXPECT_EQ(HashesOf(ReadAll(Written(items).bytes).items), HashesOf(items));
}

// A chunk begins with all its pods: where they alone are more than it may hold, it would hold one
// pass, and the next one all pods again.
TEST(FlightRecording, WhatAChunkBeginsWithDoesNotEndIt) {
  std::vector<RecordedItem> items = {RecordingAbout{.node = "many"}};
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  for (int i = 0; i < 100; ++i) {
    PodStats& pod = pass->summary.pods.emplace_back();
    pod.uid = std::to_string(i);
    pod.memory_working_set_bytes = 1;
  }
  for (int i = 0; i < 20; ++i) items.emplace_back(std::make_shared<const RecordedPass>(*pass));
  const WrittenRecording written = Written(items, {.bytes = std::size_t{4} << 10});
  EXPECT_GT(written.bytes.size(), 0U);
  EXPECT_LT(written.chunks.size(), 10U);
  EXPECT_EQ(HashesOf(ReadAll(written.bytes).items), HashesOf(items));
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
    const auto chunk = std::ranges::upper_bound(whole.chunks, at) - whole.chunks.begin() - 1;
    ASSERT_THAT(read.faults[0],
                HasSubstr(fmt::format("byte {}: ", whole.chunks[static_cast<std::size_t>(chunk)])));
    const auto gaps = std::ranges::count_if(read.items, [](const RecordedItem& item) {
      const auto* gap = std::get_if<RecordedGap>(&item);
      return gap != nullptr && gap->why.find("byte") != std::string::npos;
    });
    ASSERT_EQ(gaps, 1) << at;
  }
}

RecordedGap GapIn(const std::vector<RecordedItem>& items) {
  for (const RecordedItem& item : items) {
    const auto* gap = std::get_if<RecordedGap>(&item);
    if (gap != nullptr && gap->why.find("byte") != std::string::npos) return *gap;
  }
  return {};
}

// The header of a damaged chunk says which times it had.
TEST(FlightRecording, WhatIsLostAtTheEndsHasTheTimesOfItsHeader) {
  const WrittenRecording whole = Written(SomeRecording(9, 1), {.passes = 2});
  ASSERT_GT(whole.chunks.size(), 2U);
  std::string bytes = whole.bytes;
  bytes[whole.chunks[1] - 1] ^= 1;
  const ReadRecording first = ReadAll(bytes);
  EXPECT_LT(GapIn(first.items).from, GapIn(first.items).to) << first.faults.at(0);
  const ReadRecording last = ReadAll(std::string_view(whole.bytes).substr(0, bytes.size() - 1));
  EXPECT_LT(GapIn(last.items).from, GapIn(last.items).to) << last.faults.at(0);
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

TEST(FlightRecording, WhatWasFetchedTwiceIsReadOnce) {
  const auto items = SomeRecording(9, 1);
  const WrittenRecording whole = Written(items, {.passes = 1});
  const std::string_view bytes = whole.bytes;
  const std::string twice =
      std::string(bytes.substr(0, whole.chunks[4])) + std::string(bytes.substr(whole.chunks[1]));
  const ReadRecording read = ReadAll(twice);
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.found.chunks_repeated, 3U);
  EXPECT_EQ(HashesOf(read.items), HashesOf(items));
}

TEST(FlightRecording, WhatWasFetchedTwiceIsReadOnceHoweverManyStartsItHas) {
  const auto items = SomeRecording(9, 3);
  for (const std::size_t passes : {1U, 3U, 1000U}) {
    const WrittenRecording whole = Written(items, {.passes = passes});
    const std::string_view bytes = whole.bytes;
    const std::string some(bytes.substr(0, whole.chunks[whole.chunks.size() / 2 + 1]));
    for (const std::string& before : {some, std::string(bytes)}) {
      const ReadRecording read = ReadAll(before + std::string(bytes));
      EXPECT_THAT(read.faults, IsEmpty());
      EXPECT_GT(read.found.chunks_repeated, 0U);
      EXPECT_EQ(HashesOf(read.items), HashesOf(items)) << passes;
    }
  }
}

// Each part numbers its chunks from 0, as the files do that `show --output recording` makes.
TEST(FlightRecording, PartsOfOneStartAreReadInAnyOrder) {
  const auto items = SomeRecording(9, 1);
  const auto half = static_cast<std::ptrdiff_t>(items.size() / 2);
  std::vector<RecordedItem> later = {items.front()};
  later.insert(later.end(), items.begin() + half, items.end());
  const std::string a = Written({items.begin(), items.begin() + half}, {.passes = 1}).bytes;
  const std::string b = Written(later, {.passes = 1}).bytes;
  EXPECT_EQ(HashesOf(ReadAll(a + b).items), HashesOf(items));
  EXPECT_EQ(ReadAll(b + a).items.size(), items.size());
}

// The second copy says nothing that the first one has not said.
TEST(FlightRecording, DamageToWhatWasReadBeforeIsNoGap) {
  const auto items = SomeRecording(9, 2);
  const WrittenRecording whole = Written(items, {.passes = 2});
  std::string copy = whole.bytes;
  copy[whole.chunks[2] - 1] ^= 1;
  const ReadRecording read = ReadAll(whole.bytes + copy);
  EXPECT_THAT(read.faults, SizeIs(1));
  EXPECT_EQ(HashesOf(read.items), HashesOf(items));
}

TEST(FlightRecording, WhatIsNoRecordingSaysSo) {
  for (const std::string& foreign :
       {std::string("{\"name\": \"x\"}\n"), std::string(200'000, 'x'), std::string(1, '\0')}) {
    const ReadRecording read = ReadAll(foreign);
    EXPECT_THAT(read.items, IsEmpty());
    EXPECT_THAT(read.faults, ElementsAre(HasSubstr("not a Jettison recording")));
    EXPECT_EQ(read.found.damaged_bytes, foreign.size());
  }
}

TEST(FlightRecording, AFaultOfTheDiskEndsIt) {
  RecordingReader reader([](std::span<char>) -> Result<std::size_t> {
    return Fail(ErrorCode::kInternal, "read: Input/output error");
  });
  EXPECT_FALSE(reader.Next());
  const auto end = reader.Next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

// Wants passes below an amount of memory.
class BelowSieve : public PassSieve {
 public:
  explicit BelowSieve(std::int64_t amount) : amount_(amount) {}
  bool MayWant(const RecordedStretch& stretch) override {
    const auto& extremes = stretch.by_signal[IndexOf(Signal::kMemoryAvailable)];
    return extremes && extremes->least_available < amount_;
  }
  bool Wants(const RecordedLook& look) override {
    const auto& memory = look.node.memory;
    ++looks;
    return memory && memory->available_bytes.value_or(0) < static_cast<std::uint64_t>(amount_);
  }
  int looks = 0;

 private:
  std::int64_t amount_;
};

TEST(FlightRecording, PassesThatNobodyWantsAreLeftOutAndTheOthersAreTheSame) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const auto items = SomeRecording(seed);
    for (const std::int64_t amount : {0, 60 << 20, 120 << 20, 1 << 30}) {
      std::vector<RecordedItem> wanted;
      for (const RecordedItem& item : items) {
        const RecordedPass* pass = PassIn(item);
        if (pass == nullptr || pass->summary.node.memory->available_bytes.value() <
                                   static_cast<std::uint64_t>(amount)) {
          wanted.push_back(item);
        }
      }
      BelowSieve sieve(amount);
      const ReadRecording read = ReadAll(Written(items, {.passes = 3}).bytes, &sieve);
      EXPECT_THAT(read.faults, IsEmpty());
      ASSERT_EQ(HashesOf(read.items), HashesOf(wanted)) << seed;
    }
  }
}

}  // namespace
}  // namespace jettison
