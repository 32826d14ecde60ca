#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "agent/disk/disk_measurer.h"
#include "agent/figures/file_systems.h"
#include "kernel/files/live_silent_filesystem.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr Instant kNow{std::chrono::hours(1)};

// It answers one question each time that the test lets it.
class SteppedFilesystem {
 public:
  DiskStatsReader::Ask Ask() {
    return [steps = steps_](const std::string&) {
      const std::uint64_t answer = ++steps->asked;
      steps->allowed.acquire();
      FsStats stats;
      stats.available_bytes = answer;
      return Result<FsStats>(stats);
    };
  }
  void Allow() { steps_->allowed.release(); }
  [[nodiscard]] std::uint64_t asked() const { return steps_->asked; }

 private:
  struct Steps {
    std::atomic<std::uint64_t> asked = 0;
    std::counting_semaphore<> allowed{0};
  };
  std::shared_ptr<Steps> steps_ = std::make_shared<Steps>();
};

class SlowFilesystem : public testing::Test {
 protected:
  SlowFilesystem() {
    std::ofstream(mounts_) << "22 1 8:1 / / rw - ext4 /dev/a rw\n"
                              "23 22 0:30 / /data rw - nfs4 server:/data rw\n";
  }
  // Asks until the answer to the question of `asked_at` is there.
  static Result<FsStats> AnswerOf(DiskStatsReader& reader, Instant asked_at, Instant now) {
    const auto give_up = SteadyClock::now() + seconds(30);
    auto answer = reader.Read("/data", now);
    while ((!answer || answer->time != asked_at) && SteadyClock::now() < give_up) {
      answer = reader.Read("/data", now);
    }
    return answer;
  }

  const kernel::TemporaryFolder folder_;
  const std::string mounts_ = folder_.path() + "/mounts";
  SteppedFilesystem stepped_;
};

TEST_F(SlowFilesystem, OnlyTheFirstAnswerIsWaitedForAndThenTheLastOneIsThere) {
  DiskStatsReader reader(mounts_, stepped_.Ask());
  stepped_.Allow();
  EXPECT_EQ(AnswerOf(reader, kNow, kNow)->available_bytes, 1U);
  for (int i = 1; i < 100; ++i) {
    const auto again = reader.Read("/data", kNow + milliseconds(i));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->available_bytes, 1U);
    EXPECT_EQ(again->time, kNow) << "it is not fresh";
  }
  EXPECT_LE(stepped_.asked(), 2U) << "one question at a time";
  stepped_.Allow();
  const auto next = AnswerOf(reader, kNow + milliseconds(1), kNow + milliseconds(100));
  EXPECT_EQ(next->available_bytes, 2U);
  EXPECT_EQ(next->time, kNow + milliseconds(1)) << "that of the question";
  stepped_.Allow();  // its thread is not left behind
}

TEST_F(SlowFilesystem, WhileItHangsThereIsNoAnswerAndALateOneDoesNotCount) {
  DiskStatsReader reader(mounts_, stepped_.Ask());
  stepped_.Allow();
  EXPECT_TRUE(AnswerOf(reader, kNow, kNow));
  EXPECT_TRUE(reader.Read("/data", kNow + milliseconds(1)));
  const Instant late = kNow + seconds(2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(reader.Read("/data", late).error().code, ErrorCode::kDeadlineExceeded);
  }
  stepped_.Allow();  // the answer is late, so its moment is not known
  stepped_.Allow();
  EXPECT_EQ(AnswerOf(reader, late, late)->available_bytes, 3U);
  stepped_.Allow();  // its thread is not left behind
}

// Otherwise a file system that does not answer would be asked on the loop.
TEST_F(LiveSilentFilesystem, WhereMountsCannotBeReadAgainThoseThatAreKnownCount) {
  const std::string copy = base_ + "/mounts";
  std::ofstream(copy) << std::ifstream("/proc/self/mountinfo").rdbuf();
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    DiskStatsReader reader(copy);
    std::filesystem::remove(copy);
    reader.TakeMounts();
    EXPECT_EQ(reader.Read(folder_, kNow).error().code, ErrorCode::kDeadlineExceeded);
  }));
}

TEST_F(LiveSilentFilesystem, IsUnknownAndHoldsNobodyUp) {
  DiskStatsReader reader;
  const auto begin = SteadyClock::now();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(reader.Read(folder_, kNow).error().code, ErrorCode::kDeadlineExceeded);
  }
  EXPECT_LT(SteadyClock::now() - begin, 10 * DiskStatsReader::kFirstWait) << "there is one wait";
  fuse_.Close();
  const auto give_up = SteadyClock::now() + seconds(30);
  ErrorCode code = ErrorCode::kDeadlineExceeded;
  while (code == ErrorCode::kDeadlineExceeded && SteadyClock::now() < give_up) {
    code = reader.Read(folder_, kNow).error().code;
  }
  EXPECT_NE(code, ErrorCode::kDeadlineExceeded) << "its program is gone, so it returns an error";
}

TEST_F(LiveSilentFilesystem, AMountThatComesLaterIsNoticed) {
  DiskStatsReader reader;
  EXPECT_FALSE(reader.Read(folder_, kNow));
  fuse_.Close();
  ASSERT_EQ(::umount2(folder_.c_str(), MNT_DETACH), 0);
  reader.TakeMounts();
  EXPECT_TRUE(reader.Read(folder_, kNow)) << "the path is the folder itself now";
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
