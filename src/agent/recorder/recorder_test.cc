#include "agent/recorder/recorder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "agent/recorder/recording_stream.h"
#include "codec/flight/recording_bed.h"
#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kLong = std::chrono::seconds(30);

class RecorderTest : public ::testing::Test {
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
  std::int64_t BytesOnDisk() const {
    std::int64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      struct stat status {};
      EXPECT_EQ(::stat(file.path().c_str(), &status), 0);
      bytes += status.st_blocks * 512;
    }
    return bytes;
  }
  // Of the disk, where no recorder runs.
  Result<RecordingStream> OpenStream(const RecordingTimes& times = {}) {
    return RecordingStream::Open(folder_, times, [this] { return OpenChunkIn(folder_); });
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
    return fetch ? RestOf(**fetch, woken) : std::nullopt;
  }
  static std::optional<std::string> RestOf(RecordingFetch& fetch,
                                           std::counting_semaphore<>& woken) {
    std::string bytes;
    for (;;) {
      const auto piece = fetch.Next();
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

  // Writes full segments, which ended at these times according to their files.
  void WriteSegments(const std::vector<Instant>& ended) {
    RecordingFolder files(folder_, config_);
    ASSERT_TRUE(files.Open());
    for (std::size_t i = 0; i < ended.size(); ++i) {
      ASSERT_TRUE(files.Append(full_, kRecordedFrom));
    }
    const auto paths = SegmentsIn(folder_).value();
    ASSERT_THAT(paths, SizeIs(ended.size()));
    for (std::size_t i = 0; i < ended.size(); ++i) {
      const auto since_epoch = ended[i].time_since_epoch();
      const timespec at{
          .tv_sec = std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count(),
          .tv_nsec = 0};
      const timespec times[] = {at, at};
      ASSERT_EQ(::utimensat(AT_FDCWD, paths[i].c_str(), times, 0), 0);
    }
  }
  // Their numbers.
  [[nodiscard]] std::vector<int> Segments() const {
    std::vector<int> numbers;
    const auto paths = SegmentsIn(folder_).value();
    for (const std::string& path : paths) {
      numbers.push_back(std::stoi(std::filesystem::path(path).stem()));
    }
    return numbers;
  }

  const std::string full_ = std::string(3 << 20, 'x');  // a segment holds one such chunk
  kernel::TemporaryFolder root_;
  std::string folder_ = root_.path() + "/recording";
  RecordingConfig config_;
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
    EXPECT_EQ(recorder.counters().chunks, 0U);
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

TEST_F(RecorderTest, AFetchWaitsForASlowDiskAndLacksNothing) {
  const auto items = Items();
  Recorder recorder(folder_, config_, About(), &SlowDisk::Sync);
  recorder.Add(items[0]);
  SlowDisk::is_slow = true;
  const auto first = recorder.Fetch({}, [] {});
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->Next().value(), "");
  SlowDisk::reached.acquire();
  // The recorder waits for the disk now, and what follows is not even taken in.
  for (std::size_t i = 1; i < items.size(); ++i) recorder.Add(items[i]);
  std::binary_semaphore woken{0};
  const auto second = recorder.Fetch({}, [&] { woken.release(); });
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->Next().value(), "") << "a client does not wait";
  EXPECT_FALSE(woken.try_acquire());
  SlowDisk::goes_on.release();
  const auto bytes = FetchedFrom(recorder);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(HashesOf(ReadAll(*bytes).items), With(About(), items));
  EXPECT_TRUE(woken.try_acquire_for(kLong));
}

TEST_F(RecorderTest, PassesThatCannotBeWrittenAreFetchedAllTheSame) {
  const auto items = Items();
  const auto sync = [](int /*file*/) {
    errno = EIO;
    return -1;
  };
  Recorder recorder(folder_, config_, About(), sync);
  for (const RecordedItem& item : items) recorder.Add(item);
  const auto bytes = FetchedFrom(recorder);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(HashesOf(ReadAll(*bytes).items), With(About(), items));
}

// The open of a FIFO, which waits for its other end, stands for a disk that hangs.
TEST_F(RecorderTest, FetchesThatWaitForADiskAreFewAndWaitForNothingElse) {
  const auto items = Items();
  Recorder recorder(folder_, config_, About());
  for (const RecordedItem& item : items) recorder.Add(item);
  ASSERT_TRUE(FetchedFrom(recorder));
  const std::string hung = folder_ + "/9999999999.jtr";
  ASSERT_EQ(::mkfifo(hung.c_str(), 0600), 0);
  std::counting_semaphore<> woken{0};
  std::vector<std::unique_ptr<RecordingFetch>> waiting;
  for (std::size_t i = 0; i < RecordingFetches::kMost; ++i) {
    waiting.push_back(recorder.Fetch({}, [&] { woken.release(); }).value());
    EXPECT_EQ(waiting.back()->Next().value(), "");
  }
  const auto refused = recorder.Fetch({}, [] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("4 clients"));
  // One that goes makes room, though the recorder is still at its piece.
  waiting.erase(waiting.begin());
  waiting.push_back(recorder.Fetch({}, [&] { woken.release(); }).value());
  EXPECT_EQ(waiting.back()->Next().value(), "");
  EXPECT_FALSE(woken.try_acquire()) << "none has a piece";
  // No other fetch is to find it when the recorder goes on.
  const std::string aside = root_.path() + "/hung";
  std::filesystem::rename(hung, aside);
  const FileDescriptor other_end(::open(aside.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(other_end);
  // The recorder was at one of them, of which the FIFO cannot be read as a file is.
  std::size_t whole = 0;
  for (const auto& fetch : waiting) {
    const auto bytes = RestOf(*fetch, woken);
    if (!bytes) continue;
    ++whole;
    EXPECT_EQ(HashesOf(ReadAll(*bytes).items), With(About(), items));
  }
  EXPECT_GE(whole, waiting.size() - 1);
}

TEST_F(RecorderTest, AFetchThatTheAgentsEndInterruptsIsNoWholeRecording) {
  Recorder recorder(folder_, config_, About());
  for (const RecordedItem& item : Items()) recorder.Add(item);
  int woken = 0;
  const auto fetch = recorder.Fetch({}, [&] { ++woken; });
  ASSERT_TRUE(fetch);
  recorder.Finish();
  EXPECT_EQ(woken, 1);
  EXPECT_FALSE((*fetch)->Next());
  EXPECT_FALSE(recorder.Fetch({}, [] {}));
}

TEST_F(RecorderTest, ASegmentThatIsBegunDuringAFetchIsRead) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  auto stream = OpenStream();
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->Next().value(), chunk);
  std::ofstream(folder_ + "/0000000002.jtr") << chunk;
  EXPECT_EQ(stream->Next().value(), chunk);
  EXPECT_FALSE(stream->Next().value());
}

TEST_F(RecorderTest, AnAgentThatIsStartedAnewGoesOnInTheSameSegment) {
  const auto items = Items();
  for (int start = 0; start < 3; ++start) {
    Recorder recorder(folder_, config_, About(start));
    for (const RecordedItem& item : items) recorder.Add(item);
  }
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(1));
  std::vector<std::size_t> expected;
  for (int start = 0; start < 3; ++start) {
    for (const std::size_t hash : With(About(start), items)) expected.push_back(hash);
  }
  EXPECT_EQ(HashesOf(ReadAll(Fetched()).items), expected);
}

// Each recorder that was killed had reserved a segment, and the next one reserves another.
TEST_F(RecorderTest, AnAgentThatIsKilledAgainAndAgainTakesNoMoreOfTheDisk) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  const auto live = [&](bool writes) {
    RecordingFolder files(folder_, config_);
    ASSERT_TRUE(files.Open());
    if (writes) {
      ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
    }
  };
  live(true);
  const std::int64_t once = BytesOnDisk();
  for (int i = 0; i < 20; ++i) live(i % 2 == 0);
  EXPECT_LE(BytesOnDisk(), once + (64 << 10));
  EXPECT_THAT(ReadAll(Fetched()).faults, IsEmpty());
}

TEST_F(RecorderTest, WhatAnAgentBeforeHadReservedIsGivenBack) {
  std::filesystem::create_directories(folder_);
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  for (int i = 1; i <= 8; ++i) {
    const std::string path = fmt::format("{}/{:010}.jtr", folder_, i);
    std::ofstream(path) << (i % 2 == 0 ? chunk : "");
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, 4 << 20), 0);
  }
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(4)) << "files without a chunk are not segments";
  EXPECT_LT(BytesOnDisk(), 10 << 20) << "the present segment and the next one";
}

TEST_F(RecorderTest, NothingIsPutBehindAChunkThatIsNotWhole) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/0000000001.jtr") << chunk << chunk.substr(0, chunk.size() / 2);
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(2));
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/0000000002.jtr"), chunk.size());
}

// Killed: what was saved last is there when the next recorder begins.
TEST_F(RecorderTest, TheChunkThatWasOpenSurvivesACrash) {
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

TEST_F(RecorderTest, AHalfWrittenOpenChunkLeavesTheOneBefore) {
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  ASSERT_TRUE(files.SaveOpen(chunk));
  ASSERT_TRUE(files.SaveOpen(std::string_view(chunk).substr(0, chunk.size() / 2)));
  EXPECT_EQ(OpenChunkIn(folder_).value(), chunk);
}

TEST_F(RecorderTest, AChunkThatDidNotReachTheDiskStaysInItsSavedCopy) {
  static bool is_broken = false;
  const auto sync = [](int file) {
    if (!is_broken) return ::fdatasync(file);
    errno = EIO;
    return -1;
  };
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  const std::string next = Written(SomeRecording(4, 1)).bytes;
  RecordingFolder files(folder_, config_, sync);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.SaveOpen(chunk));
  is_broken = true;
  EXPECT_FALSE(files.Append(chunk, kRecordedFrom));
  EXPECT_EQ(OpenChunkIn(folder_).value(), chunk);
  EXPECT_EQ(files.bytes(), 0U);
  for (int again = 0; again < 2; ++again) EXPECT_FALSE(files.SaveOpen(next));
  is_broken = false;
  RecordingFolder after(folder_, config_);
  std::filesystem::remove(folder_ + "/open.1");
  EXPECT_EQ(OpenChunkIn(folder_).value(), chunk) << "only the other copy was written anew";
  ASSERT_TRUE(after.Open());
  EXPECT_EQ(kernel::ReadFile(SegmentsIn(folder_).value().back()).value(), chunk);
}

TEST_F(RecorderTest, ItsSpaceIsReservedInAdvance) {
  Recorder recorder(folder_, config_, About());
  ASSERT_TRUE(FetchedFrom(recorder));
  for (const char* name : {"/0000000001.jtr", "/next", "/open.0", "/open.1"}) {
    struct stat status {};
    ASSERT_EQ(::stat((folder_ + name).c_str(), &status), 0) << name;
    EXPECT_GE(status.st_blocks * 512, 256 << 10) << name;
  }
}

TEST_F(RecorderTest, TheOldestIsForgottenBySize) {
  config_.max_bytes = 2 << 20;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  EXPECT_LE(files.bytes() + (512 << 10), 2U << 20U);
  EXPECT_GE(files.bytes(), 1U << 20U);
  std::uint64_t on_disk = 0;
  const auto segments = SegmentsIn(folder_).value();
  for (const std::string& path : segments) on_disk += std::filesystem::file_size(path);
  EXPECT_EQ(on_disk, files.bytes());
}

// A FIFO, for which no space can be reserved, stands for a disk with errors.
TEST_F(RecorderTest, NothingIsForgottenForAFailureThatIsNoWantOfSpace) {
  config_.max_bytes = 2 << 20;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  const std::string next = folder_ + "/next";
  ASSERT_TRUE(std::filesystem::remove(next));
  ASSERT_EQ(::mkfifo(next.c_str(), 0600), 0);
  const FileDescriptor reader(::open(next.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(reader);
  const std::uint64_t bytes = files.bytes();
  Result<void> written;
  int more = 0;
  for (; written && more < 10; ++more) written = files.Append(chunk, kRecordedFrom);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, testing::HasSubstr("reserve space"));
  EXPECT_EQ(files.bytes(), bytes + static_cast<std::uint64_t>(more - 1) * chunk.size());
}

TEST_F(RecorderTest, TheEndDoesNotWaitForADiskThatHangs) {
  ASSERT_TRUE(std::filesystem::create_directories(folder_));
  const std::string next = folder_ + "/next";
  ASSERT_EQ(::mkfifo(next.c_str(), 0600), 0);  // whoever writes it waits for a reader
  auto recorder = std::make_shared<Recorder>(folder_, config_, About());
  for (RecordedItem& item : Items()) recorder->Add(std::move(item));
  recorder->Finish(std::chrono::milliseconds(20));
  const std::weak_ptr<Recorder> left = recorder;
  recorder.reset();
  EXPECT_FALSE(left.expired()) << "its thread still uses it";
  // It is or will be the first segment.
  FileDescriptor reader;
  for (int tries = 0; tries < 20'000 && !reader; ++tries) {
    (void)::poll(nullptr, 0, 1);
    const auto segments = SegmentsIn(folder_).value();
    if (segments.empty()) continue;
    reader = FileDescriptor(::open(segments.front().c_str(), O_RDWR | O_CLOEXEC));
  }
  EXPECT_TRUE(reader);
}

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kTenYears = 3650 * kDay;

TEST_F(RecorderTest, TheOldestIsForgottenByAge) {
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  for (int day = 0; day < 30; ++day) {
    ASSERT_TRUE(files.Append(full_, kRecordedFrom + day * kDay));
  }
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(15));
}

TEST_F(RecorderTest, TheOldestOfAnAgentBeforeAreForgottenByAge) {
  std::vector<Instant> ended;
  for (int day = 0; day < 16; ++day) ended.push_back(kRecordedFrom + day * kDay);
  WriteSegments(ended);
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(full_, kRecordedFrom + 16 * kDay));
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(15));
}

TEST_F(RecorderTest, AClockThatIsYearsAheadAtAStartDeletesNothing) {
  WriteSegments({kRecordedFrom, kRecordedFrom, kRecordedFrom});
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(full_, kRecordedFrom + kTenYears));
  EXPECT_THAT(Segments(), ElementsAre(1, 2, 3, 4));
}

TEST_F(RecorderTest, AClockThatWasYearsAheadForAWhileNeitherDeletesNorKeepsASegment) {
  WriteSegments({kRecordedFrom, kRecordedFrom + kTenYears, kRecordedFrom + kDay});
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(full_, kRecordedFrom + 2 * kDay));
  EXPECT_THAT(Segments(), ElementsAre(1, 2, 3, 4));
  ASSERT_TRUE(files.Append(full_, kRecordedFrom + 17 * kDay));
  EXPECT_THAT(Segments(), ElementsAre(5));
}

TEST_F(RecorderTest, WhatIsOlderThanALongPauseIsForgottenWhenTheRecordingGoesOn) {
  WriteSegments({kRecordedFrom, kRecordedFrom + kDay});
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  const Instant start = kRecordedFrom + 60 * kDay;
  ASSERT_TRUE(files.Append(full_, start));
  ASSERT_TRUE(files.Append(full_, start + 6 * kDay));
  EXPECT_THAT(Segments(), ElementsAre(1, 2, 3, 4));
  ASSERT_TRUE(files.Append(full_, start + 8 * kDay));
  EXPECT_THAT(Segments(), ElementsAre(3, 4, 5));
}

// A machine without a clock of its own.
TEST_F(RecorderTest, SegmentsOf1970AreNoOlderThanTheOneBefore) {
  config_.max_age = kDay;
  WriteSegments({kRecordedFrom, Instant(), Instant()});
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(files.Append(full_, kRecordedFrom));
  EXPECT_THAT(Segments(), ElementsAre(1, 2, 3, 4, 5));
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
  EXPECT_EQ(recorder.counters().write_errors, 1U);
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
  const std::string why = fmt::format("{} passes were left out", dropped);
  const auto read = ReadAll(Fetched());
  EXPECT_TRUE(std::ranges::any_of(read.items, [&](const RecordedItem& item) {
    const auto* gap = std::get_if<RecordedGap>(&item);
    return gap != nullptr && gap->why.find("passes were left out") != std::string::npos;
  })) << why;
}

// Without descriptors a file cannot be opened, and a folder in its place cannot be read.
TEST_F(RecorderTest, WhatCannotBeReadIsNoEndOfTheRecording) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  {
    auto stream = OpenStream();
    ASSERT_TRUE(stream);
    const ScarceDescriptors none;
    EXPECT_FALSE(stream->Next());
  }
  ASSERT_TRUE(std::filesystem::create_directory(folder_ + "/0000000002.jtr"));
  ASSERT_TRUE(files.SaveOpen(chunk));
  auto stream = OpenStream();
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->Next().value(), chunk);
  EXPECT_FALSE(stream->Next()) << "the second segment cannot be read";
  ASSERT_TRUE(std::filesystem::remove(folder_ + "/0000000002.jtr"));
  {
    auto of_one = OpenStream();
    EXPECT_EQ(of_one->Next().value(), chunk);
    ASSERT_TRUE(std::filesystem::remove(folder_ + "/open.1"));
    ASSERT_TRUE(std::filesystem::create_directory(folder_ + "/open.1"));
    EXPECT_FALSE(of_one->Next()) << "the open chunk cannot be read";
  }
}

TEST_F(RecorderTest, NoNumberIsGivenAgainWhereTheFolderCouldNotBeListedAtFirst) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  std::filesystem::create_directories(folder_);
  const std::string earlier = chunk + chunk.substr(0, chunk.size() / 2);
  std::ofstream(folder_ + "/0000000017.jtr") << earlier;
  RecordingFolder files(folder_, config_);
  {
    const ScarceDescriptors none;
    EXPECT_FALSE(files.Open());
    EXPECT_FALSE(files.SaveOpen(chunk));
    EXPECT_FALSE(files.Append(chunk, kRecordedFrom));
  }
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(1));
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  EXPECT_THAT(SegmentsIn(folder_).value(),
              ElementsAre(folder_ + "/0000000017.jtr", folder_ + "/0000000018.jtr"));
  EXPECT_EQ(kernel::ReadFile(folder_ + "/0000000017.jtr").value(), earlier);
  EXPECT_EQ(kernel::ReadFile(folder_ + "/0000000018.jtr").value(), chunk);
}

TEST_F(RecorderTest, TheChunkThatWasOpenIsNotOverwrittenBeforeItWasRead) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  const std::string newer = Written(SomeRecording(4, 1)).bytes;
  {
    RecordingFolder files(folder_, config_);
    ASSERT_TRUE(files.Open());
    ASSERT_TRUE(files.SaveOpen(chunk));
  }
  RecordingFolder files(folder_, config_);
  {
    const ScarceDescriptors none;
    EXPECT_FALSE(files.Open());
  }
  ASSERT_TRUE(files.SaveOpen(newer));
  EXPECT_EQ(kernel::ReadFile(SegmentsIn(folder_).value().back()).value(), chunk);
  EXPECT_EQ(OpenChunkIn(folder_).value(), newer);
}

TEST_F(RecorderTest, AFileThatWasDeletedMeanwhileIsLeftOut) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  auto stream = OpenStream();
  ASSERT_TRUE(stream);
  ASSERT_TRUE(std::filesystem::remove(folder_ + "/0000000001.jtr"));
  const auto next = stream->Next();
  ASSERT_TRUE(next);
  EXPECT_FALSE(*next);
}

TEST_F(RecorderTest, OnlyChunksOfTheTimeThatIsAskedForAreHandedOut) {
  for (int start = 0; start < 3; ++start) {
    Recorder recorder(folder_, config_, About(start));
    for (std::uint32_t i = 0; i < 1; ++i) {
      auto items = Items(static_cast<std::uint32_t>(start));
      for (RecordedItem& item : items) {
        if (auto* gap = std::get_if<RecordedGap>(&item)) {
          gap->from = gap->to = kRecordedFrom + std::chrono::hours(start);
          recorder.Add(item);
        }
      }
    }
  }
  const Instant middle = kRecordedFrom + std::chrono::hours(1);
  const auto read = ReadAll(Fetched({.since = middle, .until = middle}));
  EXPECT_THAT(read.faults, IsEmpty());
  ASSERT_THAT(read.items, SizeIs(2));
  EXPECT_EQ(std::get<RecordingAbout>(read.items[0]), About(1));
  EXPECT_THAT(ReadAll(Fetched({.since = middle, .until = std::nullopt})).items, SizeIs(4));
  EXPECT_THAT(ReadAll(Fetched({.since = std::nullopt, .until = middle})).items, SizeIs(4));
}

}  // namespace
}  // namespace jettison
