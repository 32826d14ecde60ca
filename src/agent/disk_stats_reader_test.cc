#include "agent/disk_stats_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>

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
    EXPECT_FALSE(filesystem.ReadWithin(seconds(30))) << "nobody waits a second time";
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

// A file system of a program that never says anything: this one.
class LiveSilentFilesystem : public testing::Test {
 protected:
  void SetUp() override {
    fuse_ = FileDescriptor(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
    if (::geteuid() != 0 || !fuse_) GTEST_SKIP() << "needs root and /dev/fuse";
    folder_ = testing::TempDir() + "jettison-silent-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    const std::string options =
        fmt::format("fd={},rootmode=40000,user_id=0,group_id=0", fuse_.get());
    mounted_ =
        ::mount("silent", folder_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
    if (!mounted_) GTEST_SKIP() << "FUSE cannot be mounted";
  }
  void TearDown() override {
    fuse_.Close();  // whoever waits for it is told
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
    if (!folder_.empty()) ::rmdir(folder_.c_str());
  }
  FileDescriptor fuse_;
  std::string folder_;
  bool mounted_ = false;
};

TEST_F(LiveSilentFilesystem, IsUnknownAndHoldsNobodyUp) {
  DiskStatsReader reader;
  const auto begin = SteadyClock::now();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(reader.Read(folder_).error().code, ErrorCode::kDeadlineExceeded);
  }
  EXPECT_LT(SteadyClock::now() - begin, 10 * DiskStatsReader::kDeadline) << "waited for once";
  fuse_.Close();
  const auto give_up = SteadyClock::now() + seconds(30);
  ErrorCode code = ErrorCode::kDeadlineExceeded;
  while (code == ErrorCode::kDeadlineExceeded && SteadyClock::now() < give_up) {
    code = reader.Read(folder_).error().code;
  }
  EXPECT_NE(code, ErrorCode::kDeadlineExceeded) << "its program is gone, and it says so";
}

TEST_F(LiveSilentFilesystem, AMountThatComesLaterIsNoticed) {
  DiskStatsReader reader;
  EXPECT_FALSE(reader.Read(folder_));
  fuse_.Close();
  ASSERT_EQ(::umount2(folder_.c_str(), MNT_DETACH), 0);
  EXPECT_TRUE(reader.Read(folder_)) << "now it is the folder itself";
}

}  // namespace
}  // namespace jettison
