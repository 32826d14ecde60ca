#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/files/testing/temporary_folder.h"
#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

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
