#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kernel {
namespace {

unsigned ModeOf(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 07777U;
}

TEST(RootFolders, NoOtherUserReachesThePods) {
  const TemporaryFolder folder;
  const Paths paths(folder.path() + "/root");
  ASSERT_TRUE(OpenRootFolders(paths, kProcessPodMarks));
  EXPECT_EQ(ModeOf(paths.Pods()), 0750U);
  EXPECT_TRUE(Exists(paths.Logs()));
  EXPECT_EQ(ModeOf(paths.root()), 0755U) << "others find their sockets and files below it";
}

TEST(RootFolders, ThoseOfAnEarlierVersionAreClosedAndNoneIsOpened) {
  const TemporaryFolder folder;
  const Paths paths(folder.path());
  ASSERT_TRUE(MakeFolders(paths.Pods()));
  for (const auto& [before, after] : {std::pair{0755U, 0750U}, {02775U, 02770U}, {0700U, 0700U}}) {
    ASSERT_EQ(::chmod(paths.Pods().c_str(), before), 0);
    ASSERT_TRUE(OpenRootFolders(paths, kProcessPodMarks));
    EXPECT_EQ(ModeOf(paths.Pods()), after);
  }
}

TEST(RootFolders, OfARootThatFailsAreDoneWithout) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/root") << "in the way";
  const Paths paths(folder.path() + "/root");
  const auto opened = OpenRootFolders(paths, kProcessPodMarks);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE(*opened);
}

TEST(RootFolders, OfAnotherAgentAreRefused) {
  const TemporaryFolder folder;
  const Paths paths(folder.path() + "/root");
  const auto first = OpenRootFolders(paths, kProcessPodMarks);
  ASSERT_TRUE(first);
  EXPECT_TRUE(*first);
  EXPECT_EQ(OpenRootFolders(paths, kProcessPodMarks).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace jettison::kernel
