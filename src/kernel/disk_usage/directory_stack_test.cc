#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "kernel/disk_usage/tree_walk.h"
#include "kernel/files/temporary_folder.h"

namespace jettison::disk_usage {
namespace {

class DirectoryStackTest : public testing::Test {
 protected:
  static ino_t InodeOf(int fd) {
    struct stat status {};
    EXPECT_EQ(::fstat(fd, &status), 0);
    return status.st_ino;
  }
  void PushPath(DirectoryStack& stack, const std::filesystem::path& path) const {
    FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(fd);
    struct stat status {};
    ASSERT_EQ(::fstat(fd.get(), &status), 0);
    stack.Push(std::move(fd), {.device = status.st_dev, .inode = status.st_ino});
  }
  // "d/d/d/..." below the base, each entered.
  void PushNested(DirectoryStack& stack, std::size_t depth) {
    std::filesystem::path path = base_;
    for (std::size_t i = 0; i < depth; ++i) {
      PushPath(stack, path);
      path /= "d";
      std::filesystem::create_directory(path);
    }
  }
  const kernel::TemporaryFolder folder_;
  const std::filesystem::path base_ = folder_.path();
};

TEST_F(DirectoryStackTest, PendingNamesComeBackOnceEach) {
  DirectoryStack stack;
  PushPath(stack, base_);
  using namespace std::string_view_literals;
  stack.AddPending("a\0bc\0"sv);
  EXPECT_EQ(stack.TakePending(), "bc");
  EXPECT_EQ(stack.TakePending(), "a");
  EXPECT_EQ(stack.TakePending(), "");
}

TEST_F(DirectoryStackTest, AClosedDirectoryIsTheSameOneWhenTheWalkComesBack) {
  constexpr std::size_t kDepth = 3 * DirectoryStack::kOpenDirectories;
  DirectoryStack stack;
  PushNested(stack, kDepth);
  std::size_t left = 0;
  while (!stack.empty()) {
    ASSERT_TRUE(stack.Pop());
    ++left;
    if (!stack.empty()) {
      EXPECT_GE(stack.fd(), 0);
    }
  }
  EXPECT_EQ(left, kDepth);
}

TEST_F(DirectoryStackTest, WhatWasMovedAwayIsLeftOutAndTheWalkGoesOnAtTheTop) {
  constexpr std::size_t kDepth = DirectoryStack::kOpenDirectories + 10;
  DirectoryStack stack;
  PushNested(stack, kDepth);
  std::filesystem::path moved = base_;
  for (int i = 0; i < 5; ++i) moved /= "d";
  std::filesystem::rename(moved, base_ / "elsewhere");
  std::size_t refusals = 0;
  ino_t last = 0;
  while (!stack.empty()) {
    last = InodeOf(stack.fd());
    if (!stack.Pop()) ++refusals;
  }
  EXPECT_EQ(refusals, 1U);
  struct stat top {};
  ASSERT_EQ(::stat(base_.c_str(), &top), 0);
  EXPECT_EQ(last, top.st_ino);
}

}  // namespace
}  // namespace jettison::disk_usage
