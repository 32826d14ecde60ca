#include "agent/recorder/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "agent/recorder/testing/recording_folder_bed.h"
#include "codec/flight/recording_bed.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kLong = std::chrono::seconds(30);

class RecorderTest : public RecordingFolderBed {
 protected:
  std::vector<RecordedItem> Items(std::uint32_t seed = 3) {
    std::vector<RecordedItem> items;
    for (RecordedItem& item : SomeRecording(seed, 1)) {
      if (!std::holds_alternative<RecordingAbout>(item)) items.push_back(std::move(item));
    }
    return items;
  }
  RecordingAbout About(int start = 0) const {
    return {.at = kRecordedFrom + std::chrono::hours(start), .node = "n", .maker = "test"};
  }
  // Of the disk, where no recorder runs.
  Result<RecordingStream> OpenStream(const RecordingTimes& times = {}) {
    return RecordingStream::Open(folder_, times);
  }
  std::string Fetched(const RecordingTimes& times = {}) {
    auto stream = OpenStream(times);
    EXPECT_TRUE(stream) << stream.error().message;
    std::string bytes;
    for (;;) {
      const auto piece = stream->Next();
      EXPECT_TRUE(piece) << piece.error().message;
      if (!piece || !*piece) return bytes;
      EXPECT_FALSE((*piece)->empty());
      EXPECT_LE((*piece)->size(), RecordingStream::kPiece);
      bytes += **piece;
    }
  }
  // What a client of a running recorder gets; nothing where it gets an error, or none within 30 s.
  static std::optional<std::string> FetchedFrom(Recorder& recorder) {
    std::counting_semaphore<> woken{0};
    const auto fetch = recorder.Fetch({}, [&] { woken.release(); });
    return fetch ? RestOf(*fetch, woken) : std::nullopt;
  }
  static std::optional<std::string> RestOf(const RecordingFetch& fetch,
                                           std::counting_semaphore<>& woken) {
    std::string bytes;
    for (;;) {
      const auto piece = fetch();
      if (!piece) return std::nullopt;
      if (!*piece) return bytes;
      EXPECT_LE((*piece)->size(), RecordingStream::kPiece);
      bytes += **piece;
      if ((*piece)->empty() && !woken.try_acquire_for(kLong)) return std::nullopt;
    }
  }
  static std::vector<std::size_t> With(const RecordingAbout& about,
                                       std::vector<RecordedItem> items) {
    items.insert(items.begin(), about);
    return HashesOf(items);
  }
};

TEST_F(RecorderTest, WhatIsHandedOverIsRead) {
  const auto items = Items();
  {
    Recorder recorder(folder_, config_, About());
    for (const RecordedItem& item : items) recorder.Add(item);
    ASSERT_TRUE(FetchedFrom(recorder));
    // The chunk is not complete yet, but it is on the disk.
    EXPECT_EQ(HashesOf(ReadAll(Fetched()).items), With(About(), items));
    EXPECT_EQ(recorder.counters().passes, 6U);
  }
  const ReadRecording read = ReadAll(Fetched());
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(HashesOf(read.items), With(About(), items));
}

// A disk that lets the writer wait until it is told to go on.
struct SlowDisk {
  static inline std::atomic<bool> is_slow = false;
  static inline std::binary_semaphore reached{0};
  static inline std::binary_semaphore goes_on{0};
  static int Sync(int /*file*/) {
    if (!is_slow.exchange(false)) return 0;
    reached.release();
    goes_on.acquire();
    return 0;
  }
};

TEST_F(RecorderTest, FetchesThatWaitForASlowDiskAreFewAndLackNothing) {
  const auto items = Items();
  Recorder recorder(folder_, config_, About(), &SlowDisk::Sync);
  recorder.Add(items[0]);
  SlowDisk::is_slow = true;
  std::counting_semaphore<> woken{0};
  std::vector<RecordingFetch> waiting;
  for (std::size_t i = 0; i < Recorder::kMostClients; ++i) {
    waiting.push_back(recorder.Fetch({}, [&] { woken.release(); }).value());
    EXPECT_EQ(waiting.back()().value(), "") << "a client does not wait";
  }
  SlowDisk::reached.acquire();
  // The recorder waits for the disk now, and what follows is not even taken in.
  for (std::size_t i = 1; i < items.size(); ++i) recorder.Add(items[i]);
  const auto refused = recorder.Fetch({}, [] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("4 clients"));
  // One that goes makes room, though the recorder is still at its piece.
  waiting.erase(waiting.begin());
  EXPECT_FALSE(woken.try_acquire()) << "none has a piece";
  std::counting_semaphore<> last_woken{0};
  const auto last = recorder.Fetch({}, [&] { last_woken.release(); }).value();
  EXPECT_EQ(last().value(), "");
  SlowDisk::goes_on.release();
  const auto bytes = RestOf(last, last_woken);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(HashesOf(ReadAll(*bytes).items), With(About(), items));
  EXPECT_TRUE(woken.try_acquire_for(kLong));
}

TEST_F(RecorderTest, AFetchThatTheAgentsEndInterruptsIsNoWholeRecording) {
  Recorder recorder(folder_, config_, About());
  for (const RecordedItem& item : Items()) recorder.Add(item);
  const auto fetch = recorder.Fetch({}, [] {});
  ASSERT_TRUE(fetch);
  recorder.Finish();
  EXPECT_FALSE((*fetch)());
  EXPECT_FALSE(recorder.Fetch({}, [] {}));
}

// Killed: what was saved last is there when the next recorder begins.
TEST_F(RecorderTest, TheChunkThatWasBegunSurvivesACrash) {
  const auto items = Items();
  const std::string crashed = root_.path() + "/crashed";
  {
    Recorder recorder(folder_, config_, About());
    for (const RecordedItem& item : items) recorder.Add(item);
    ASSERT_TRUE(FetchedFrom(recorder));
    std::filesystem::copy(folder_, crashed);
  }
  folder_ = crashed;
  Recorder recorder(folder_, config_, About(1));
  ASSERT_TRUE(FetchedFrom(recorder));
  auto expected = With(About(), items);
  expected.push_back(With(About(1), {})[0]);
  const ReadRecording read = ReadAll(Fetched());
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(HashesOf(read.items), expected);
}

TEST_F(RecorderTest, TheEndDoesNotWaitForADiskThatHangs) {
  auto recorder = std::make_shared<Recorder>(folder_, config_, About(), &SlowDisk::Sync);
  for (RecordedItem& item : Items()) recorder->Add(std::move(item));
  SlowDisk::is_slow = true;
  recorder->Finish(std::chrono::milliseconds(20));
  const std::weak_ptr<Recorder> left = recorder;
  recorder.reset();
  EXPECT_FALSE(left.expired()) << "its thread still uses it";
  SlowDisk::reached.acquire();
  SlowDisk::goes_on.release();
}

TEST_F(RecorderTest, WhatCannotBeWrittenIsSaidOnce) {
  std::ofstream(root_.path() + "/recording") << "a file is in the way";
  Recorder recorder(folder_, config_, About());
  for (int i = 0; i < 2; ++i) {
    for (const RecordedItem& item : Items()) recorder.Add(item);
    EXPECT_FALSE(FetchedFrom(recorder)) << "the folder cannot be listed";
  }
  recorder.Finish();
  EXPECT_EQ(recorder.counters().passes, 12U);
  EXPECT_GE(recorder.counters().write_errors, 1U);
}

TEST_F(RecorderTest, WhatThereIsNoTimeForIsCountedAndAGap) {
  const auto items = Items();
  std::uint64_t dropped = 0;
  {
    Recorder recorder(folder_, config_, About());
    // More items than the queue takes while a thread starts.
    for (int i = 0; i < 2000; ++i) recorder.Add(items[1]);
    dropped = recorder.counters().dropped;
    ASSERT_TRUE(FetchedFrom(recorder));
    recorder.Add(items.back());
  }
  ASSERT_GT(dropped, 0U);
  const auto read = ReadAll(Fetched());
  EXPECT_TRUE(std::ranges::any_of(read.items, [&](const RecordedItem& item) {
    const auto* gap = std::get_if<RecordedGap>(&item);
    return gap != nullptr && gap->why.find("passes were left out") != std::string::npos;
  }));
}

// Without descriptors a file cannot be opened, and a folder in its place cannot be read.
TEST_F(RecorderTest, WhatCannotBeReadIsNoEndOfTheRecordingAndADeletedFileIsLeftOut) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  ASSERT_TRUE(std::filesystem::create_directory(folder_ + "/0000000002.jtr"));
  auto stream = OpenStream();
  auto another = OpenStream();
  auto later = OpenStream();
  ASSERT_TRUE(stream && another && later);
  {
    const ScarceDescriptors none;
    EXPECT_FALSE(stream->Next());
  }
  EXPECT_EQ(another->Next().value(), chunk);
  EXPECT_FALSE(another->Next()) << "the second segment cannot be read";
  ASSERT_GT(std::filesystem::remove_all(folder_ + "/0000000001.jtr"), 0U);
  ASSERT_GT(std::filesystem::remove_all(folder_ + "/0000000002.jtr"), 0U);
  const auto next = later->Next();
  ASSERT_TRUE(next);
  EXPECT_FALSE(*next);
}

TEST_F(RecorderTest, OnlyChunksOfTheTimeThatIsAskedForAreHandedOut) {
  const auto hour = [](int count) { return kRecordedFrom + std::chrono::hours(count); };
  for (int start = 0; start < 3; ++start) {
    Recorder recorder(folder_, config_, About(start));
    recorder.Add(RecordedGap{.from = hour(start), .to = hour(start), .why = "test"});
  }
  const auto read = ReadAll(Fetched({.since = hour(1), .until = hour(1)}));
  EXPECT_THAT(read.faults, IsEmpty());
  ASSERT_THAT(read.items, SizeIs(2));
  EXPECT_EQ(std::get<RecordingAbout>(read.items[0]), About(1));
  EXPECT_THAT(ReadAll(Fetched({.since = hour(1), .until = std::nullopt})).items, SizeIs(4));
  EXPECT_THAT(ReadAll(Fetched({.since = std::nullopt, .until = hour(1)})).items, SizeIs(4));
}

}  // namespace
}  // namespace jettison
