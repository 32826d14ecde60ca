#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "kernel/files/temporary_folder.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/testing/few_descriptors.h"

namespace jettison::kernel {
namespace {

// Folders represent groups; other entries are ignored.
FileDescriptor OpenFolder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void Nest(const std::string& path, int depth) {
  FileDescriptor folder = OpenFolder(path);
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(folder.get(), "deeper", 0700), 0) << i;
    ASSERT_EQ(::mkdirat(folder.get(), "beside", 0700), 0) << i;
    folder = FileDescriptor(::openat(folder.get(), "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
}

Result<void> RemoveBelow(int top, int& removed) {
  return VisitGroups(top, {.enter = nullptr,
                           .leave = [&](int parent, const std::string& name, int) -> Result<void> {
                             if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) ++removed;
                             return {};
                           }});
}

TEST(GroupTree, ParentsAreEnteredBeforeAndLeftAfterThoseBelow) {
  const TemporaryFolder folder;
  for (const char* path : {"/a", "/a/b", "/a/c", "/d"}) {
    ASSERT_EQ(::mkdir((folder.path() + path).c_str(), 0700), 0);
  }
  const FileDescriptor top = OpenFolder(folder.path());
  int entered = 0;
  std::vector<std::string> left;
  const auto visited = VisitGroups(
      top.get(), {.enter = [&](int) -> Result<void> { return ++entered, Result<void>(); },
                  .leave = [&](int, const std::string& name, int) -> Result<void> {
                    return left.push_back(name), Result<void>();
                  }});
  ASSERT_TRUE(visited);
  EXPECT_EQ(entered, 5) << "including the top";
  ASSERT_EQ(left.size(), 4U);
  const auto place = [&](const char* name) { return std::ranges::find(left, name); };
  EXPECT_LT(place("b"), place("a"));
  EXPECT_LT(place("c"), place("a"));
}

TEST(GroupTree, HoweverDeepItTakesFewDescriptorsAndNoStack) {
  constexpr int kDepth = 2'000;
  const TemporaryFolder folder;
  Nest(folder.path(), kDepth);
  const FileDescriptor top = OpenFolder(folder.path());
  const FewDescriptors few(kOpenGroups + 4);
  int entered = 0;
  int removed = 0;
  std::thread([&] {
    EXPECT_TRUE(VisitGroups(
        top.get(), {.enter = [&](int) -> Result<void> { return ++entered, Result<void>(); },
                    .leave = nullptr}));
    const auto gone = RemoveBelow(top.get(), removed);
    EXPECT_TRUE(gone) << gone.error().message;
  }).join();
  EXPECT_EQ(entered, 2 * kDepth + 1);
  EXPECT_EQ(removed, 2 * kDepth);
}

TEST(GroupTree, WhatVanishesMeanwhileIsLeftOut) {
  const TemporaryFolder folder;
  Nest(folder.path(), 3 * static_cast<int>(kOpenGroups));
  const FileDescriptor top = OpenFolder(folder.path());
  int entered = 0;
  int ignored = 0;
  const auto visited =
      VisitGroups(top.get(), {.enter = [&](int) -> Result<void> {
                                const bool first = ++entered == 30;
                                return first ? RemoveBelow(top.get(), ignored) : Result<void>();
                              },
                              .leave = nullptr});
  EXPECT_TRUE(visited) << visited.error().message;
  EXPECT_LE(entered, 31);
}

TEST(GroupTree, TheFirstFailureEndsIt) {
  const TemporaryFolder folder;
  Nest(folder.path(), 3);
  const FileDescriptor top = OpenFolder(folder.path());
  int entered = 0;
  const auto visited = VisitGroups(top.get(), {.enter = [&](int) -> Result<void> {
                                                 if (++entered < 3) return {};
                                                 return Fail(ErrorCode::kUnavailable, "enough");
                                               },
                                               .leave = nullptr});
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().message, "enough");
  EXPECT_EQ(entered, 3);
}

}  // namespace
}  // namespace jettison::kernel
