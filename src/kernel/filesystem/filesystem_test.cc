#include "kernel/filesystem/filesystem.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

struct statvfs Status() {
  struct statvfs status {};
  status.f_bsize = 1 << 20;  // the preferred size of a transfer: not the unit
  status.f_frsize = 4096;
  status.f_blocks = 1000;
  status.f_bfree = 300;
  status.f_bavail = 250;
  status.f_files = 50;
  status.f_ffree = 20;
  return status;
}

TEST(Filesystem, BlocksAreOfTheFragmentSizeAndTheReserveIsNotAvailable) {
  const FsStats stats = FsStatsOf(Status());
  EXPECT_EQ(stats.capacity_bytes, 4096000U);
  EXPECT_EQ(stats.available_bytes, 1024000U);
  EXPECT_EQ(stats.used_bytes, 2867200U);
  EXPECT_EQ(stats.inodes, 50U);
  EXPECT_EQ(stats.inodes_free, 20U);
  EXPECT_EQ(stats.inodes_used, 30U);
}

TEST(Filesystem, OneThatCountsNoInodesHasNoInodeFigures) {
  struct statvfs status = Status();
  status.f_files = 0;
  status.f_ffree = 0;
  const FsStats stats = FsStatsOf(status);
  EXPECT_EQ(stats.inodes, std::nullopt);
  EXPECT_EQ(stats.inodes_free, std::nullopt);
  EXPECT_EQ(stats.inodes_used, std::nullopt);
  EXPECT_TRUE(stats.capacity_bytes);
}

// A folder with links in it; the mounts are made up.
class PlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"folder", "remote", "other"}) fs::create_directory(top_ / folder);
    mounts_ = {{.root = "/", .point = "/", .type = "ext4", .device = 1},
               {.root = "/", .point = top_ / "remote", .type = "nfs4", .device = 2},
               {.root = "/", .point = top_ / "remote/local", .type = "ext4", .device = 3},
               {.root = "/", .point = top_ / "other", .type = "btrfs", .device = 4}};
  }
  void Link(const std::string& name, const fs::path& target) {
    fs::create_symlink(target, top_ / name);
  }
  [[nodiscard]] Place At(const std::string& path) const { return PlaceOf(mounts_, top_ / path); }

  const kernel::TemporaryFolder folder_;
  const fs::path top_ = fs::canonical(folder_.path());
  std::vector<kernel::Mount> mounts_;
};

TEST_F(PlaceTest, LinksAreFollowedWhereTheKernelAloneAnswers) {
  Link("absolute", top_ / "folder");
  Link("relative", "./absolute/../other//x/");
  Link("folder/up", "../relative");
  EXPECT_EQ(At("absolute/file").path, top_ / "folder/file");
  EXPECT_EQ(At("relative").path, top_ / "other/x");
  EXPECT_EQ(At("folder/up/y").path, top_ / "other/x/y");
  EXPECT_EQ(At("folder/up/y").mount->type, "btrfs");
  EXPECT_TRUE(At("folder/up/y").answers_by_itself);
}

TEST_F(PlaceTest, NothingBehindAMountThatMayHangIsLookedAt) {
  Link("remote/link", "/");  // would be followed if it were read
  Link("way", top_ / "remote");
  for (const char* path : {"remote/link", "way/link", "way/./link/"}) {
    EXPECT_EQ(At(path).path, top_ / "remote/link") << path;
    EXPECT_EQ(At(path).mount->device, 2U) << path;
    EXPECT_FALSE(At(path).answers_by_itself) << path;
  }
  EXPECT_EQ(At("remote/local").mount->device, 3U);
  EXPECT_FALSE(At("remote/local").answers_by_itself) << "it leads through `remote`";
}

TEST_F(PlaceTest, TheDeviceIsTheMountsWhereItCannotBeAskedForOrSubvolumesHaveTheirOwn) {
  EXPECT_EQ(*DeviceOf(At("remote/nobody/knows")), 2U);
  EXPECT_EQ(*DeviceOf(At("other")), 4U);
  EXPECT_EQ(DeviceOf(At("other/gone")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*DeviceOf(At("folder")), *DeviceOf(top_.string())) << "the device of the file system";
  EXPECT_EQ(DeviceOf(PlaceOf({}, "/x")).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace jettison
