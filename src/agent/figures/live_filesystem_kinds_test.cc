// Kinds of file systems with unusual behaviour.
#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "agent/disk/disk_measurer.h"
#include "agent/figures/file_systems.h"
#include "agent/figures/testing/live_disks.h"
#include "core/observe/observations.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/project_quota/project_quota.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBtrfsMi = 128;
constexpr std::uint64_t kXfsMi = 320;

void MakeSubvolume(const std::string& folder, std::string_view name) {
  const FileDescriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  btrfs_ioctl_vol_args arguments{};
  std::ranges::copy(name, arguments.name);
  ASSERT_EQ(::ioctl(parent.get(), BTRFS_IOC_SUBVOL_CREATE, &arguments), 0);
}

void Write(const std::string& file, std::size_t bytes = 8192) {
  std::ofstream(file) << std::string(bytes, 'x');
}

class LiveFilesystemKinds : public LiveDisks {
 protected:
  // One pod with one emptyDir, measured a pass at a time.
  PodDiskUse Pass(const std::string& volume) {
    measurer_.BeginPass();
    PodDiskUse use = measurer_.Measure({.empty_dirs = {{.name = "v", .path = volume}}});
    measurer_.EndPass();
    return use;
  }
  // Changes in the folder are reported.
  void ExpectReadAgainWhereItChanged(const std::string& volume) {
    AssignProjects({.empty_dirs = {{.name = "v", .path = volume}}});
    fs::create_directories(volume + "/a/b");
    static_cast<void>(Pass(volume));  // finds out how much there is
    EXPECT_EQ(Pass(volume).total.inodes_used, 3U);
    const std::uint64_t walks = measurer_.full_walks();
    Write(volume + "/a/b/file");
    fs::create_directory(volume + "/a/c");
    const PodDiskUse use = Pass(volume);
    EXPECT_EQ(use.total.inodes_used, 5U);
    EXPECT_GE(use.total.used_bytes, 8192U);
    EXPECT_EQ(measurer_.full_walks(), walks);
    EXPECT_TRUE(measurer_.TakeNotes().empty());
  }

  const FakeClock clock_;
  DiskMeasurer measurer_{clock_, {}, {.worth_watching = 0}};
};

TEST_F(LiveFilesystemKinds, SubvolumesOfABtrfsAreOneDisk) {
  WithDisks([this] {
    if (!MountImage("btrfs", "big", kBtrfsMi)) GTEST_SKIP() << "no btrfs here";
    for (const char* name : {"node", "images", "layers"}) MakeSubvolume(Path("big"), name);
    ASSERT_EQ(::mount(Path("big/layers").c_str(), Path("disk3").c_str(), nullptr, MS_BIND, nullptr),
              0);
    ASSERT_NE(DeviceOf(Path("big/node")).value(), DeviceOf(Path("big/images")).value());
    const DiskSurvey one = SurveyDisks(
        {.node = Path("big/node"), .images = Path("big/images"), .containers = Path("disk3")});
    EXPECT_EQ(one.layout, DiskLayout{});
    EXPECT_EQ(one.image_fs + one.container_fs, "");
    EXPECT_TRUE(one.faults.empty());
    EXPECT_EQ(SurveyDisks({.node = Path("big/node"), .images = Path("disk2")}).layout,
              (DiskLayout{.dedicated_image_fs = true}));
  });
}

TEST_F(LiveFilesystemKinds, ABtrfsHasSpaceAndNoInodesToRunOutOf) {
  WithDisks([this] {
    if (!MountImage("btrfs", "big", kBtrfsMi)) GTEST_SKIP() << "no btrfs here";
    MakeSubvolume(Path("big"), "node");
    Summary summary;
    summary.node.fs = DiskStatsReader().Read(Path("big/node"), {}).value();
    EXPECT_EQ(summary.node.fs->capacity_bytes, kBtrfsMi * kDiskMi);
    EXPECT_EQ(summary.node.fs->inodes_used, std::nullopt);
    const Observations seen = ObservationsFrom(summary);
    EXPECT_TRUE(seen[Signal::kNodeFsAvailable]);
    EXPECT_FALSE(seen[Signal::kNodeFsInodesFree]);
  });
}

TEST_F(LiveFilesystemKinds, ASubvolumeInAVolumeIsAPartOfItWithFilesOfItsOwn) {
  WithDisks([this] {
    if (!MountImage("btrfs", "big", kBtrfsMi)) GTEST_SKIP() << "no btrfs here";
    const std::string volume = Path("big/volume");
    MakeFolder("big/volume");
    MakeSubvolume(volume, "sub");
    for (const std::string& folder : {volume, volume + "/sub"}) {
      Write(folder + "/file");
      fs::create_hard_link(folder + "/file", folder + "/link");
    }
    DiskTrees walk;
    const auto walked = walk.Walk(volume);
    EXPECT_EQ(walked->usage.inodes_used, 4U);
    EXPECT_GE(walked->usage.used_bytes, 2 * 8192U) << "the two files may have one inode number";
    EXPECT_EQ(walked->errors, 0U);
    static_cast<void>(Pass(volume));
    EXPECT_EQ(Pass(volume).total.inodes_used, 4U);
    Write(volume + "/sub/more");
    MakeSubvolume(volume + "/sub", "another");
    EXPECT_EQ(Pass(volume).total.inodes_used, 6U);
  });
}

TEST_F(LiveFilesystemKinds, ABtrfsAndAnXfsWithoutProjectQuotaTellOfChanges) {
  WithDisks([this] {
    for (const auto& [type, mebibytes] : {std::pair("btrfs", kBtrfsMi), std::pair("xfs", kXfsMi)}) {
      if (!MountImage(type, type, mebibytes)) GTEST_SKIP() << "no " << type << " here";
      MakeFolder(std::string(type) + "/volume");
      ExpectReadAgainWhereItChanged(Path(std::string(type) + "/volume"));
    }
  });
}

TEST_F(LiveFilesystemKinds, ABoundFolderIsWhereItsFilesAre) {
  WithDisks([this] {
    MakeFolder("node/images");
    ASSERT_EQ(
        ::mount(Path("disk2").c_str(), Path("node/images").c_str(), nullptr, MS_BIND, nullptr), 0);
    const DiskSurvey survey = SurveyDisks({.node = Path("node"), .images = Path("node/images")});
    EXPECT_EQ(survey.layout, (DiskLayout{.dedicated_image_fs = true}));
    EXPECT_EQ(DiskStatsReader().Read(survey.image_fs, {})->capacity_bytes, 8 * kDiskMi);
  });
}

}  // namespace
}  // namespace jettison
