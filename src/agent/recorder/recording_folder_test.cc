#include "agent/recorder/recording_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "agent/recorder/testing/recording_folder_bed.h"
#include "codec/flight/recording_bed.h"
#include "kernel/files/files.h"
#include "ports/fakes/scarcity.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kTenYears = 3650 * kDay;

class RecordingFolderTest : public RecordingFolderBed {
 protected:
  // Writes segments, which ended so long after kRecordedFrom according to their files.
  void WriteSegments(const std::vector<Duration>& ended) {
    RecordingFolder files(folder_, config_);
    ASSERT_TRUE(files.Open());
    for (std::size_t i = 0; i < ended.size(); ++i) {
      ASSERT_TRUE(files.Append(full_, kRecordedFrom));
    }
    const auto paths = SegmentsIn(folder_).value();
    ASSERT_THAT(paths, SizeIs(ended.size()));
    for (std::size_t i = 0; i < ended.size(); ++i) {
      const auto since_epoch = (kRecordedFrom + ended[i]).time_since_epoch();
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

  const std::string full_ = std::string(kChunkMagic) + std::string(3 << 20, 'x');
};

TEST_F(RecordingFolderTest, AChunkBeginsASegmentAndWhatFollowsOfItIsPutBehind) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
    ASSERT_TRUE(files.Append("more", kRecordedFrom));
  }
  const auto segments = SegmentsIn(folder_).value();
  ASSERT_THAT(segments, SizeIs(2));
  for (const std::string& path : segments) {
    EXPECT_EQ(kernel::ReadFile(path).value(), chunk + "more");
  }
}

TEST_F(RecordingFolderTest, WhatDidNotReachTheDiskIsLostAndWhatFollowsIsWritten) {
  static bool is_broken = true;
  const auto sync = [](int file) {
    if (!is_broken) return ::fdatasync(file);
    errno = EIO;
    return -1;
  };
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  RecordingFolder files(folder_, config_, sync);
  ASSERT_TRUE(files.Open());
  EXPECT_FALSE(files.Append(chunk, kRecordedFrom));
  EXPECT_EQ(files.bytes(), 0U);
  is_broken = false;
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  ASSERT_TRUE(files.Append("more", kRecordedFrom));
  EXPECT_EQ(kernel::ReadFile(SegmentsIn(folder_).value().back()).value(), chunk + "more");
}

TEST_F(RecordingFolderTest, TheOldestIsForgottenBySize) {
  config_.max_bytes = 2 << 20;
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  const std::string chunk = std::string(kChunkMagic) + std::string(100'000, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  EXPECT_LE(files.bytes(), 2U << 20U);
  EXPECT_GE(files.bytes(), 1U << 20U);
  std::uint64_t on_disk = 0;
  const auto segments = SegmentsIn(folder_).value();
  for (const std::string& path : segments) on_disk += std::filesystem::file_size(path);
  EXPECT_EQ(on_disk, files.bytes());
}

TEST_F(RecordingFolderTest, TheOldestIsForgottenByAge) {
  RecordingFolder files(folder_, config_);
  ASSERT_TRUE(files.Open());
  for (int day = 0; day < 30; ++day) {
    ASSERT_TRUE(files.Append(full_, kRecordedFrom + day * kDay));
  }
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(15));
}

// The clock of an earlier agent, or of this one at its start, may have been years off.
TEST_F(RecordingFolderTest, WhatEarlierAgentsLeftIsForgottenByAgeWhateverTheClockSays) {
  struct Row {
    const char* what;
    std::vector<Duration> ended;     // the segments that are found
    std::vector<Duration> appended;  // when others are put behind them
    std::vector<int> left;
    Duration max_age = 14 * kDay;
  };
  const Duration at_1970 = Instant() - kRecordedFrom;
  std::vector<Duration> days;
  for (int day = 0; day < 16; ++day) days.push_back(day * kDay);
  for (const Row& row : {
           Row{"too old", days, {16 * kDay}, {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
           Row{"a clock ahead at the start", {{}, {}, {}}, {kTenYears}, {1, 2, 3, 4}},
           Row{"one that was ahead deletes nothing",
               {{}, kTenYears, kDay},
               {2 * kDay},
               {1, 2, 3, 4}},
           Row{"and keeps nothing", {{}, kTenYears, kDay}, {2 * kDay, 17 * kDay}, {5}},
           Row{"a machine without a clock",
               {{}, at_1970, at_1970},
               {{}, {}},
               {1, 2, 3, 4, 5},
               kDay},
       }) {
    std::filesystem::remove_all(folder_);
    config_.max_age = row.max_age;
    WriteSegments(row.ended);
    RecordingFolder files(folder_, config_);
    ASSERT_TRUE(files.Open());
    for (const Duration at : row.appended) ASSERT_TRUE(files.Append(full_, kRecordedFrom + at));
    EXPECT_EQ(Segments(), row.left) << row.what;
  }
}

TEST_F(RecordingFolderTest, NoNumberIsGivenAgainWhereTheFolderCouldNotBeListedAtFirst) {
  const std::string chunk = Written(SomeRecording(3, 1)).bytes;
  std::filesystem::create_directories(folder_);
  const std::string earlier = chunk + chunk.substr(0, chunk.size() / 2);
  std::ofstream(folder_ + "/0000000017.jtr") << earlier;
  RecordingFolder files(folder_, config_);
  {
    const ScarceDescriptors none;
    EXPECT_FALSE(files.Open());
    EXPECT_FALSE(files.Append(chunk, kRecordedFrom));
  }
  EXPECT_THAT(SegmentsIn(folder_).value(), SizeIs(1));
  ASSERT_TRUE(files.Append(chunk, kRecordedFrom));
  EXPECT_THAT(SegmentsIn(folder_).value(),
              ElementsAre(folder_ + "/0000000017.jtr", folder_ + "/0000000018.jtr"));
  EXPECT_EQ(kernel::ReadFile(folder_ + "/0000000017.jtr").value(), earlier);
  EXPECT_EQ(kernel::ReadFile(folder_ + "/0000000018.jtr").value(), chunk);
}

}  // namespace
}  // namespace jettison
