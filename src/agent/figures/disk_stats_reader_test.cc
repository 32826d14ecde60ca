#include "agent/figures/disk_stats_reader.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "agent/disk/disk_measurer.h"
#include "agent/disk/live_silent_filesystem.h"
#include "agent/figures/disk_layout.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

FsStats Full() {
  FsStats stats;
  stats.capacity_bytes = 100;
  return stats;
}

TEST(SlowFilesystem, AnAnswerInTimeIsTheAnswer) {
  SlowFilesystem filesystem("/data", [](const std::string&) { return Result<FsStats>(Full()); });
  EXPECT_EQ(filesystem.ReadWithin(seconds(30))->capacity_bytes, 100U);
  EXPECT_EQ(filesystem.ReadWithin(seconds(30))->capacity_bytes, 100U);
}

TEST(SlowFilesystem, AFailureIsTheAnswerToo) {
  SlowFilesystem filesystem(
      "/data", [](const std::string&) { return Result<FsStats>(Fail(ErrorCode::kNotFound, "")); });
  EXPECT_EQ(filesystem.ReadWithin(seconds(30)).error().code, ErrorCode::kNotFound);
}

TEST(SlowFilesystem, OneThatHangsIsWaitedForOnceAndAskedAgainWhenItAnswers) {
  auto gate = std::make_shared<std::promise<void>>();
  auto questions = std::make_shared<std::atomic<int>>(0);
  const std::shared_future<void> open = gate->get_future().share();
  SlowFilesystem filesystem("/data", [questions, open](const std::string&) {
    ++*questions;
    open.wait();
    return Result<FsStats>(Full());
  });
  EXPECT_EQ(filesystem.ReadWithin(milliseconds(1)).error().code, ErrorCode::kDeadlineExceeded);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(filesystem.ReadWithin(seconds(30))) << "there is no second wait";
  }
  gate->set_value();
  const auto give_up = SteadyClock::now() + seconds(30);
  while (!filesystem.ReadWithin(seconds(30)) && SteadyClock::now() < give_up) {
  }
  EXPECT_TRUE(filesystem.ReadWithin(seconds(30)));
  EXPECT_GE(*questions, 2);
}

TEST(SlowFilesystem, MayGoWhileItHangs) {
  auto gate = std::make_shared<std::promise<void>>();
  {
    SlowFilesystem filesystem("/data", [open = gate->get_future().share()](const std::string&) {
      open.wait();
      return Result<FsStats>(Full());
    });
    EXPECT_FALSE(filesystem.ReadWithin(Duration::zero()));
  }
  gate->set_value();
}

TEST(DiskStatsReader, LocalFileSystemsAreRead) {
  DiskStatsReader reader;
  EXPECT_GT(*reader.Read("/").value().capacity_bytes, 0U);
  EXPECT_EQ(reader.Read("/nonexistent/folder").error().code, ErrorCode::kNotFound);
}

// Otherwise a file system that does not answer would be asked on the loop.
TEST_F(LiveSilentFilesystem, WhereMountsCannotBeReadAgainThoseThatAreKnownCount) {
  const std::string copy = base_ + "/mounts";
  std::ofstream(copy) << std::ifstream("/proc/self/mountinfo").rdbuf();
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    DiskStatsReader reader(copy);
    std::filesystem::remove(copy);
    reader.TakeMounts();
    EXPECT_EQ(reader.Read(folder_).error().code, ErrorCode::kDeadlineExceeded);
  }));
}

TEST_F(LiveSilentFilesystem, IsUnknownAndHoldsNobodyUp) {
  DiskStatsReader reader;
  const auto begin = SteadyClock::now();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(reader.Read(folder_).error().code, ErrorCode::kDeadlineExceeded);
  }
  EXPECT_LT(SteadyClock::now() - begin, 10 * DiskStatsReader::kDeadline) << "there is one wait";
  fuse_.Close();
  const auto give_up = SteadyClock::now() + seconds(30);
  ErrorCode code = ErrorCode::kDeadlineExceeded;
  while (code == ErrorCode::kDeadlineExceeded && SteadyClock::now() < give_up) {
    code = reader.Read(folder_).error().code;
  }
  EXPECT_NE(code, ErrorCode::kDeadlineExceeded) << "its program is gone, so it returns an error";
}

TEST_F(LiveSilentFilesystem, AMountThatComesLaterIsNoticed) {
  DiskStatsReader reader;
  EXPECT_FALSE(reader.Read(folder_));
  fuse_.Close();
  ASSERT_EQ(::umount2(folder_.c_str(), MNT_DETACH), 0);
  reader.TakeMounts();
  EXPECT_TRUE(reader.Read(folder_)) << "the path is the folder itself now";
}

TEST_F(LiveSilentFilesystem, ALinkToItIsSeenThrough) {
  const std::string link = base_ + "/link";
  std::filesystem::create_symlink(folder_ + "/images", link);
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    DiskStatsReader reader;
    EXPECT_EQ(reader.Read(link + "/x").error().code, ErrorCode::kDeadlineExceeded);
  }));
}

TEST_F(LiveSilentFilesystem, IsLeftOutOfAWalkWithoutBeingAsked) {
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    const FakeClock clock;
    DiskMeasurer measurer(clock, {}, {.worth_watching = 0});
    const PodDisk pod = {.empty_dirs = {{.name = "v", .path = base_}}};
    for (std::uint64_t folders = 0; folders < 4; ++folders) {
      measurer.BeginPass();
      EXPECT_EQ(measurer.Measure(pod).total.inodes_used, folders + 1);
      measurer.EndPass();
      std::filesystem::create_directory(base_ + "/" + std::to_string(folders));
    }
  }));
}

TEST_F(LiveSilentFilesystem, IsADiskOfItsOwnForASurveyWhichDoesNotAskIt) {
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    const DiskSurvey survey = SurveyDisks({.node = "/", .images = folder_ + "/images"});
    EXPECT_EQ(survey.layout, (DiskLayout{.dedicated_image_fs = true}));
    EXPECT_EQ(survey.image_fs, folder_ + "/images");
    EXPECT_TRUE(survey.faults.empty());
    const DiskSurvey other = SurveyDisks({.node = folder_, .images = folder_ + "/x"});
    EXPECT_EQ(other.layout, DiskLayout{}) << "both places are on the same file system";
    EXPECT_EQ(SurveyDisks({.node = folder_, .images = "/"}).image_fs, "/");
  }));
}

}  // namespace
}  // namespace jettison
