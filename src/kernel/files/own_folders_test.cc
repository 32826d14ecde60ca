#include "kernel/files/own_folders.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kernel {
namespace {

class OwnFoldersTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeFolders(pod_ + "/volumes/v"));
    ASSERT_TRUE(MakeFolders(logs_ + "/main"));
    ASSERT_TRUE(WriteFile(logs_ + "/main/0.log", ""));
  }
  TemporaryFolder folder_;
  const std::string pod_ = folder_.path() + "/u";
  const std::string logs_ = folder_.path() + "/default_a_u";
};

TEST_F(OwnFoldersTest, APodIsNotMadeWhereSomethingElseIs) {
  EXPECT_TRUE(CheckPodPlace(folder_.path() + "/none"));
  EXPECT_TRUE(CheckPodPlace(pod_));
  ASSERT_TRUE(WriteFile(pod_ + "/f", ""));
  const auto checked = CheckPodPlace(pod_);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, testing::StartsWith(pod_ + " is in the pod's place"));
}

TEST_F(OwnFoldersTest, LogsAreFilesOfContainersWithTheirNames) {
  for (const char* name : {"0.log.3", "12.log", "0.log.20260102-150405", "0.log.x.gz"}) {
    ASSERT_TRUE(WriteFile(logs_ + "/main/" + name, ""));
  }
  EXPECT_TRUE(IsLogFolder(logs_));
  for (const char* name : {"/main/notes", "/main/log", "/main/0.logs", "/file"}) {
    ASSERT_TRUE(WriteFile(logs_ + name, ""));
    EXPECT_FALSE(IsLogFolder(logs_)) << name;
    ASSERT_EQ(::unlink((logs_ + name).c_str()), 0);
  }
  EXPECT_TRUE(IsLogFolder(logs_));
}

TEST_F(OwnFoldersTest, APodOfTheOtherRuntimeIsNamedWithTheSettingItNeeds) {
  const std::string& pods = folder_.path();
  EXPECT_TRUE(CheckPodsAreOwn(pods, kProcessPodMarks)) << "a leftover belongs to no runtime";
  ASSERT_TRUE(WriteFile(pod_ + "/record", ""));
  EXPECT_TRUE(CheckPodsAreOwn(pods, kCriPodMarks));
  const auto checked = CheckPodsAreOwn(pods, kProcessPodMarks);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(checked.error().message,
              testing::AllOf(testing::HasSubstr("pod u (1 in all)"),
                             testing::HasSubstr("created with `runtime: cri`")));
  ASSERT_TRUE(WriteFile(pod_ + "/pod.json", ""));
  EXPECT_TRUE(CheckPodsAreOwn(pods, kProcessPodMarks)) << "it has what its own runtime wrote";
}

TEST_F(OwnFoldersTest, FoldersOfPodsThatCannotBeListedAreNotTakenForNone) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/f", ""));
  EXPECT_FALSE(CheckPodsAreOwn(folder_.path() + "/f", kProcessPodMarks));
}

TEST_F(OwnFoldersTest, ALockThatADeadAgentsChildGivesBackIsTaken) {
  const auto open = [this] {
    return FileDescriptor(::open((pod_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  };
  FileDescriptor forked = open();
  ASSERT_EQ(::flock(forked.get(), LOCK_EX), 0);
  std::thread child([&] { forked.Close(); });
  EXPECT_TRUE(AwaitLock(open().get()));
  child.join();
}

}  // namespace
}  // namespace jettison::kernel
