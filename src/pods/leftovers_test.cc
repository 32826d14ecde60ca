#include "pods/leftovers.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/mounts/mount_info.h"
#include "pods/adoption.h"
#include "pods/rotated_files.h"
#include "pods/tree_removal.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using namespace kernel;
using testing::ElementsAre;

class LeftoversTest : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  FakeCgroups cgroups_;
  FakeClock clock_;
  HostProcesses processes_;
  std::unique_ptr<kernel::Readiness> readiness_ = *kernel::Readiness::Create();
  PodDependencies dependencies_{{.processes = processes_,
                                 .cgroups = cgroups_,
                                 .group_end = cgroups_,
                                 .clock = clock_,
                                 .readiness = *readiness_},
                                kernel::Paths(folder_.path()),
                                CgroupDriver::kCgroupfs,
                                std::chrono::seconds(10),
                                kernel::DiskWork(*readiness_, nullptr)};
};

TEST_F(LeftoversTest, WhatCanBeDeletedDoesNotWaitForWhatCannot) {
  Leftovers leftovers(dependencies_, nullptr);
  leftovers.Delete({"/proc/self/status"});
  leftovers.Advance();
  EXPECT_TRUE(leftovers.IsDeleting()) << "it is tried again";
  const std::string tree = folder_.path() + "/tree";
  ASSERT_TRUE(kernel::MakeFolders(tree + "/folder"));
  leftovers.Delete({tree});
  leftovers.Advance();
  EXPECT_FALSE(kernel::Exists(tree));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (leftovers.IsDeleting() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    readiness_->Dispatch();
    leftovers.Advance();
  }
  EXPECT_FALSE(leftovers.IsDeleting()) << "nobody waits for ever for what cannot be deleted";
}

constexpr Instant kNow = Instant(std::chrono::nanoseconds(7));

TEST(Quarantine, WhatCannotBeMovedStays) {
  const TemporaryFolder folder;
  const Paths paths(folder.path());
  ASSERT_TRUE(MakeFolders(paths.Volumes("u")));
  ASSERT_TRUE(WriteFile(folder.path() + "/quarantine", "in the way"));
  EXPECT_FALSE(SetAside(paths, "u", kNow));
  EXPECT_TRUE(Exists(paths.Volumes("u")));
}

TEST(LiveQuarantine, NoMountLeadsOutOfIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
  const TemporaryFolder host;
  const TemporaryFolder folder;
  // The kernel lists mounts by their real paths.
  const std::string link = folder.path() + "/link";
  ASSERT_TRUE(MakeFolders(folder.path() + "/root"));
  ASSERT_EQ(::symlink("root", link.c_str()), 0);
  const Paths paths(link);
  ASSERT_TRUE(MakeFolders(paths.Volumes("u")));
  ASSERT_TRUE(MakeFolders(host.path() + "/data"));
  ASSERT_TRUE(WriteFile(host.path() + "/data/file", "dear"));
  const std::string place_of_data = paths.Pod("u") + "/sub-paths/main/0";
  ASSERT_TRUE(MakeFolders(place_of_data));
  const FileDescriptor data(::open((host.path() + "/data").c_str(), O_PATH | O_CLOEXEC));
  ASSERT_TRUE(BindPrivately(data, place_of_data));
  ASSERT_TRUE(Exists(paths.Pod("u") + "/sub-paths/main/0/file"));
  const auto place = SetAside(paths, "u", kNow).value();
  EXPECT_FALSE(Exists(place + "/sub-paths/main/0/file"));
  EXPECT_EQ(ReadFile(host.path() + "/data/file").value_or(""), "dear");
}

class RemoveTreeTest : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  const std::string tree_ = folder_.path() + "/tree";
};

TEST_F(RemoveTreeTest, TakesEverythingAndFollowsNoLink) {
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/a/b"));
  ASSERT_TRUE(kernel::MakeFolders(folder_.path() + "/other"));
  ASSERT_TRUE(kernel::WriteFile(folder_.path() + "/other/kept", "x"));
  ASSERT_TRUE(kernel::WriteFile(tree_ + "/a/file", "x"));
  ASSERT_EQ(::symlink((folder_.path() + "/other").c_str(), (tree_ + "/a/link").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", (tree_ + "/dangling").c_str()), 0);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(kernel::WriteFile(tree_ + "/a/b/" + std::to_string(i), ""));
  }
  EXPECT_EQ(RemoveTree(tree_.c_str()), 0);
  EXPECT_FALSE(kernel::Exists(tree_));
  EXPECT_TRUE(kernel::Exists(folder_.path() + "/other/kept"));
}

TEST_F(RemoveTreeTest, TakesFoldersOfAnyDepth) {
  ASSERT_TRUE(kernel::MakeFolders(tree_));
  FileDescriptor at(::open(tree_.c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "deeper", 0755), 0);
    at = FileDescriptor(::openat(at.get(), "deeper", O_RDONLY | O_DIRECTORY));
  }
  at.Close();
  EXPECT_EQ(RemoveTree(tree_.c_str()), 0);
  EXPECT_FALSE(kernel::Exists(tree_));
}

class LiveRemoveTree : public RemoveTreeTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
  }
};

TEST_F(LiveRemoveTree, DetachesAMountAndLeavesWhatItShowed) {
  const std::string shown = folder_.path() + "/shown";
  ASSERT_TRUE(kernel::MakeFolders(shown));
  ASSERT_TRUE(kernel::WriteFile(shown + "/kept", ""));
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/at"));
  ASSERT_EQ(::mount(shown.c_str(), (tree_ + "/at").c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount("tmpfs", (tree_ + "/at").c_str(), "tmpfs", 0, nullptr), 0);
  EXPECT_EQ(RemoveTree(tree_.c_str()), 0);
  EXPECT_FALSE(kernel::Exists(tree_));
  EXPECT_TRUE(kernel::Exists(shown + "/kept"));
}

TEST_F(LiveRemoveTree, WhatIsNotOnAReadOnlyFileSystemIsNoError) {
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/there"));
  const int status = InOwnMounts([&] {
    const char* const path = tree_.c_str();
    if (::mount(path, path, nullptr, MS_BIND, nullptr) != 0) return 4;
    if (::mount("none", path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) return 5;
    const bool gone = RemoveTree((tree_ + "/none").c_str()) == 0;
    return gone && RemoveTree((tree_ + "/there").c_str()) == EROFS ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

// A host that has /run or /dev/shm on a volume must not lose what is there.
TEST_F(LiveRemoveTree, EmptiesNoTmpfsThatIsMountedElsewhereToo) {
  const std::string other = folder_.path() + "/other";
  ASSERT_TRUE(kernel::MakeFolders(other));
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/volumes/all"));
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/volumes/part"));
  ASSERT_EQ(::mount("tmpfs", other.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_TRUE(kernel::MakeFolders(other + "/folder"));
  ASSERT_TRUE(kernel::WriteFile(other + "/folder/kept", "x"));
  const std::string all = tree_ + "/volumes/all";
  const std::string part = tree_ + "/volumes/part";
  ASSERT_EQ(::mount(other.c_str(), all.c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount((other + "/folder").c_str(), part.c_str(), nullptr, MS_BIND, nullptr), 0);
  EXPECT_TRUE(MemoryVolumesOf(tree_).empty());
  EXPECT_EQ(RemoveTree(tree_.c_str()), 0);
  EXPECT_TRUE(kernel::Exists(other + "/folder/kept"));
  EXPECT_EQ(::umount2(other.c_str(), MNT_DETACH), 0);
}

// A container that used a part of the volume (subPath) leaves a mount of it in the pod's folder.
TEST_F(LiveRemoveTree, AVolumeInMemoryIsEmptiedThoughAContainerUsedAPartOfIt) {
  const std::string volume = tree_ + "/volumes/memory";
  const std::string used = tree_ + "/sub-paths/c/0";
  ASSERT_TRUE(kernel::MakeFolders(volume));
  ASSERT_TRUE(kernel::MakeFolders(used));
  ASSERT_EQ(::mount("tmpfs", volume.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_TRUE(kernel::MakeFolders(volume + "/part"));
  ASSERT_TRUE(kernel::WriteFile(volume + "/part/file", "x"));
  ASSERT_EQ(::mount((volume + "/part").c_str(), used.c_str(), nullptr, MS_BIND, nullptr), 0);
  const FileDescriptor held(::open(volume.c_str(), O_RDONLY | O_DIRECTORY));
  const auto volumes = MemoryVolumesOf(tree_);
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_EQ(EmptyVolume(volumes[0]), 0);
  EXPECT_TRUE(RemoveTrees({tree_}));
  EXPECT_NE(::faccessat(held.get(), "part", F_OK, 0), 0);
  EXPECT_FALSE(kernel::Exists(tree_));
}

// Versions before 0.2.0 numbered the rotated logs.
TEST(PlanTidying, ANameWithoutATimeIsNoRotatedFile) {
  const LogTidying plan = PlanTidying(
      {"0.log", "0.log.1", "0.log.2", "0.log.20260101-000000", "0.log.20260101-000001",
       "0.log.20260101-000002", "0.log.20260101-000003.tmp", "0.log.old", "1.log.20260101-000000"},
      "0.log", 3);
  EXPECT_THAT(plan.remove, ElementsAre("0.log.20260101-000003.tmp", "0.log.20260101-000000"));
  EXPECT_THAT(plan.compress, ElementsAre("0.log.20260101-000001"));
}

}  // namespace
}  // namespace jettison
