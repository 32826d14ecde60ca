#include "agent/disk/disk_measurer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;
using std::chrono::seconds;

class DiskMeasurerTest : public testing::Test {
 protected:
  void Write(const std::string& file, std::size_t bytes = 8192) const {
    fs::create_directories(fs::path(top_ + file).parent_path());
    std::ofstream(top_ + file) << std::string(bytes, 'x');
  }
  PodDiskUse Pass(const PodDisk& disk) {
    measurer_.BeginPass();
    PodDiskUse use = measurer_.Measure(disk);
    measurer_.EndPass();
    return use;
  }

  const kernel::TemporaryFolder folder_;
  const std::string top_ = folder_.path();
  FakeClock clock_;
  DiskMeasurer measurer_{clock_, {}, {.worth_watching = 0}};
};

TEST_F(DiskMeasurerTest, SaysWhereNotEverythingCouldBeRead) {
  Write("/layer/f");
  const std::string unreadable = top_ + "/" + std::string(300, 'n');  // ENAMETOOLONG
  PodDisk disk{.empty_dirs = {{.name = "v", .path = top_ + "/absent"}},
               .containers = {{.name = "c", .logs = "", .layer = top_ + "/layer"}}};
  EXPECT_FALSE(Pass(disk).partial) << "an absent file is not a read error";
  disk.empty_dirs[0].path = unreadable;
  const PodDiskUse use = Pass(disk);
  EXPECT_TRUE(use.partial);
  EXPECT_EQ(use.total.inodes_used, 2U);
  EXPECT_FALSE(Pass({}).partial);
}

TEST_F(DiskMeasurerTest, TellsWhatItHasFoundSoFar) {
  Write("/layer/f");
  for (int i = 0; i < 5; ++i) Write("/many/" + std::to_string(i));
  Write("/memory/f");
  const auto so_far = std::make_shared<DiskSoFar>();
  std::vector<PodDiskUse> told;
  DiskMeasurer measurer(
      clock_, {.breathe = [&] { told.push_back(so_far->Read()); }, .progress = &so_far->progress()},
      {}, so_far);
  (void)measurer.Measure({.empty_dirs = {{.name = "many", .path = top_ + "/many"},
                                         {.name = "m", .path = top_ + "/memory", .memory = true}},
                          .containers = {{.name = "c", .logs = "", .layer = top_ + "/layer"}}});
  ASSERT_EQ(told.size(), 3U) << "once for each directory";
  EXPECT_EQ(told[0].total.inodes_used, 2U);
  EXPECT_EQ(told[0].containers.at(0).rootfs.inodes_used, 2U);
  EXPECT_EQ(told[0].volumes.at(0).usage.inodes_used, std::nullopt);
  EXPECT_EQ(told[1].volumes.at(0).usage.inodes_used, 6U);
  EXPECT_EQ(told[1].total.inodes_used, 8U);
  EXPECT_EQ(told[2].volumes.at(1).usage.inodes_used, 2U);
  EXPECT_EQ(told[2].total.inodes_used, 8U) << "memory does not count as disk";
  EXPECT_TRUE(told[2].partial);
}

TEST_F(DiskMeasurerTest, CountsTheLayerTheLogsAndTheVolumesButMemoryOnlyByItself) {
  Write("/layers/10/f");
  Write("/layers/10/g");
  Write("/logs/0.log");
  Write("/disk/f");
  Write("/memory/f");
  const PodDiskUse use =
      Pass({.empty_dirs = {{.name = "d", .path = top_ + "/disk", .memory = false},
                           {.name = "m", .path = top_ + "/memory", .memory = true},
                           {.name = "gone", .path = top_ + "/nowhere", .memory = false}},
            .containers = {{.name = "c", .logs = top_ + "/logs", .layer = top_ + "/layers/10"}}});
  EXPECT_EQ(use.containers.at(0).rootfs.inodes_used, 3U);
  EXPECT_EQ(use.containers.at(0).logs.inodes_used, 2U);
  EXPECT_EQ(use.volumes.at(0).usage.inodes_used, 2U);
  EXPECT_EQ(use.volumes.at(1).usage.inodes_used, 2U);
  EXPECT_EQ(use.volumes.at(2).usage.used_bytes, std::nullopt) << "absent is not zero";
  EXPECT_EQ(use.total.inodes_used, 7U) << "without the one in memory";
}

TEST_F(DiskMeasurerTest, FiguresHoldEverythingUpToTheBeginningOfTheirPass) {
  Write("/volume/a");
  const PodDisk disk = {.empty_dirs = {{.name = "v", .path = top_ + "/volume"}}};
  for (std::uint64_t files = 2; files < 10; ++files) {
    clock_.Advance(seconds(10));
    Write("/volume/sub/" + std::to_string(files));
    const PodDiskUse use = Pass(disk);
    EXPECT_EQ(use.total.inodes_used, files + 2);
    EXPECT_EQ(use.measured_at, clock_.Now());
  }
}

// A disk whose changes the kernel reports.
class LiveDiskMeasurer : public DiskMeasurerTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "marking a file system needs root";
    DiskMeasurerTest::SetUp();
    const auto events = FilesystemEvents::Of(top_);
    if (!events) GTEST_SKIP() << events.error().message;
    Write("/volume/a/file");
    disk_ = {.empty_dirs = {{.name = "v", .path = top_ + "/volume"}}};
    static_cast<void>(Pass(disk_));  // finds out how large the tree is
    first_ = *Pass(disk_).total.inodes_used;
    walks_ = measurer_.full_walks();
  }
  PodDisk disk_;
  std::uint64_t first_ = 0;
  std::uint64_t walks_ = 0;  // until everything is remembered
};

TEST_F(LiveDiskMeasurer, WhatIsAnnouncedIsSeenInTheNextPassWithoutAFullWalk) {
  Write("/volume/a/another");
  Write("/volume/b/c/d");
  clock_.Advance(seconds(10));
  EXPECT_EQ(Pass(disk_).total.inodes_used, first_ + 4);
  EXPECT_EQ(measurer_.full_walks(), walks_);
}

TEST_F(LiveDiskMeasurer, AMemoryMappingIsSeenWithinTheFullWalksPeriod) {
  const std::string file = top_ + "/volume/a/mapped";
  Write("/volume/a/mapped", 0);
  constexpr std::size_t kBytes = 4 << 20;
  fs::resize_file(file, kBytes);  // a hole
  clock_.Advance(seconds(10));
  const std::uint64_t before = *Pass(disk_).total.used_bytes;
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  void* const pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  ASSERT_NE(pages, MAP_FAILED);
  std::fill_n(static_cast<char*>(pages), kBytes, 'x');
  ::msync(pages, kBytes, MS_SYNC);
  ::munmap(pages, kBytes);
  clock_.Advance(minutes(5));
  EXPECT_GE(*Pass(disk_).total.used_bytes, before + kBytes);
  EXPECT_EQ(measurer_.full_walks(), walks_ + 1);
}

// A directory moves into the place of the tree without a change inside either of them.
TEST_F(LiveDiskMeasurer, AnotherDirectoryInTheTreesPlaceIsSeenInTheNextPass) {
  Write("/other/x/y/z/file");
  for (int pass = 0; pass < 2; ++pass) {
    clock_.Advance(seconds(1));
    EXPECT_EQ(Pass(disk_).total.inodes_used, first_);
  }
  fs::rename(top_ + "/volume", top_ + "/before");
  fs::rename(top_ + "/other", top_ + "/volume");
  clock_.Advance(seconds(1));
  EXPECT_EQ(Pass(disk_).total.inodes_used, 5U);
  fs::rename(top_ + "/volume", top_ + "/other");
  EXPECT_EQ(Pass(disk_).total.inodes_used, std::nullopt);
}

// The kernel announces no mount on the file system that it hides.
TEST_F(LiveDiskMeasurer, AMountOnTheTreeIsSeenInTheNextPass) {
  clock_.Advance(seconds(1));
  ASSERT_EQ(Pass(disk_).total.inodes_used, first_);
  ASSERT_EQ(::mount("tmpfs", (top_ + "/volume").c_str(), "tmpfs", 0, nullptr), 0);
  clock_.Advance(seconds(1));
  const auto hidden = Pass(disk_).total.inodes_used;
  ASSERT_EQ(::umount2((top_ + "/volume").c_str(), MNT_DETACH), 0);
  EXPECT_EQ(hidden, 1U);
}

TEST_F(LiveDiskMeasurer, UpperLayersAreWalkedWhereTheKernelDoesNotAnnounceThem) {
  const PodDisk layer = {.containers = {{.name = "c", .layer = top_ + "/volume"}}};
  DiskMeasurer old(clock_, {}, {.worth_watching = 0, .overlay_announced = false});
  DiskMeasurer recent(clock_, {}, {.worth_watching = 0, .overlay_announced = true});
  for (int pass = 0; pass < 3; ++pass) {
    for (DiskMeasurer* measurer : {&old, &recent}) {
      measurer->BeginPass();
      EXPECT_EQ(measurer->Measure(layer).total.inodes_used, first_);
      measurer->EndPass();
    }
  }
  EXPECT_EQ(old.full_walks(), 3U);
  EXPECT_EQ(recent.full_walks(), 2U);
}

TEST_F(LiveDiskMeasurer, FewFilesAreWalkedEachTimeAndMoreAreWatchedUntilHalfOfThemAreLeft) {
  constexpr std::uint64_t kCallsOfATree = 8;
  const PodDisk disk = {.empty_dirs = {{.name = "v", .path = top_ + "/volume"}}};
  DiskMeasurer measurer(clock_, {}, {.worth_watching = kCallsOfATree + 20});
  const auto walks = [&] {
    const std::uint64_t before = measurer.full_walks();
    measurer.BeginPass();
    static_cast<void>(measurer.Measure(disk));
    measurer.EndPass();
    return measurer.full_walks() - before;
  };
  EXPECT_EQ(walks() + walks() + walks(), 3U);
  for (int i = 0; i < 20; ++i) Write("/volume/" + std::to_string(i), 1);
  EXPECT_EQ(walks() + walks() + walks(), 2U);
  for (int i = 0; i < 8; ++i) fs::remove(top_ + "/volume/" + std::to_string(i));
  EXPECT_EQ(walks(), 0U);
  for (int i = 8; i < 20; ++i) fs::remove(top_ + "/volume/" + std::to_string(i));
  EXPECT_EQ(walks(), 0U) << "the last pass that watches the tree";
  EXPECT_EQ(walks() + walks(), 2U);
}

TEST_F(LiveDiskMeasurer, AFileSystemThatCouldNotBeWatchedForAMomentIsWatchedLater) {
  DiskMeasurer measurer(clock_, {}, {.worth_watching = 0});
  PodDisk disk = disk_;
  Write("/more/file");
  disk.empty_dirs.push_back({.name = "more", .path = top_ + "/more"});
  const auto pass = [&] {
    measurer.BeginPass();
    const auto inodes = measurer.Measure(disk).total.inodes_used;
    measurer.EndPass();
    return inodes;
  };
  EXPECT_EQ(pass(), first_ + 2) << "finds out how large the trees are";
  for (int i = 0; i < 3; ++i) {
    const ScarceDescriptors none(-1);
    static_cast<void>(pass());
  }
  const std::vector<std::string> notes = measurer.TakeNotes();
  ASSERT_EQ(notes.size(), 1U) << "it is said once";
  EXPECT_EQ(pass(), first_ + 2) << "walks the trees and remembers them";
  const std::uint64_t walks = measurer.full_walks();
  EXPECT_EQ(pass(), first_ + 2);
  EXPECT_EQ(measurer.full_walks(), walks);
}

}  // namespace
}  // namespace jettison
