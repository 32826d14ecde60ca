#include "pods/tree_removal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/forgotten_calls.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

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

// Linux before 5.8 does not tell what is mounted.
TEST_F(LiveRemoveTree, EmptiesNoMountThatTheKernelDoesNotTell) {
  const std::string shown = folder_.path() + "/shown";
  ASSERT_TRUE(kernel::MakeFolders(shown + "/folder"));
  ASSERT_TRUE(kernel::WriteFile(shown + "/folder/kept", ""));
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/at"));
  ChildProcess child([&](const auto& /*ready*/) {
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(2);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(3);
    if (::mount(shown.c_str(), (tree_ + "/at").c_str(), nullptr, MS_BIND, nullptr) != 0) ::_exit(4);
    if (!ForgetCalls(SYS_statx, SYS_mount_setattr)) ::_exit(5);
    ::_exit(RemoveTree(tree_.c_str()) == EXDEV ? 0 : 1);
  });
  child.Start();
  EXPECT_EQ(WEXITSTATUS(child.Wait()), 0);
  EXPECT_TRUE(kernel::Exists(shown + "/folder/kept"));
}

TEST_F(LiveRemoveTree, WhatIsNotOnAReadOnlyFileSystemIsNoError) {
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/there"));
  ChildProcess child([&](const auto& /*ready*/) {
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(2);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(3);
    const char* const path = tree_.c_str();
    if (::mount(path, path, nullptr, MS_BIND, nullptr) != 0) ::_exit(4);
    if (::mount("none", path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) ::_exit(5);
    const bool gone = RemoveTree((tree_ + "/none").c_str()) == 0;
    ::_exit(gone && RemoveTree((tree_ + "/there").c_str()) == EROFS ? 0 : 1);
  });
  child.Start();
  EXPECT_EQ(WEXITSTATUS(child.Wait()), 0);
}

TEST_F(LiveRemoveTree, EmptiesATmpfsThatSomebodyElseStillHolds) {
  const std::string memory = tree_ + "/volumes/memory";
  ASSERT_TRUE(kernel::MakeFolders(memory));
  ASSERT_TRUE(kernel::MakeFolders(tree_ + "/volumes/disk"));
  ASSERT_EQ(::mount("tmpfs", memory.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_TRUE(kernel::MakeFolders(memory + "/a"));
  ASSERT_TRUE(kernel::WriteFile(memory + "/a/file", "x"));
  const FileDescriptor held(::open(memory.c_str(), O_RDONLY | O_DIRECTORY));
  const auto volumes = MemoryVolumesOf(tree_);
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_EQ(volumes[0].path, memory);
  EXPECT_EQ(EmptyVolume(volumes[0]), 0);
  EXPECT_NE(::faccessat(held.get(), "a", F_OK, 0), 0);
  EXPECT_EQ(RemoveTree(tree_.c_str()), 0);
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

}  // namespace
}  // namespace jettison
