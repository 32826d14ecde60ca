#include "kernel/files/own_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

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

TEST_F(OwnFoldersTest, APodsFolderHasWhatRuntimesMake) {
  EXPECT_TRUE(IsPodFolder(pod_));
  for (const char* name : {"pod.json", "pod.json.new", "pod.json.damaged", "pod.json.gone",
                           "record", "mount-points"}) {
    ASSERT_TRUE(WriteFile(pod_ + "/" + name, ""));
  }
  for (const char* name : {"containers", "sub-paths", ".deep.12.0", ".deep-0"}) {
    ASSERT_TRUE(MakeFolders(pod_ + "/" + name));
  }
  EXPECT_TRUE(IsPodFolder(pod_));
  ASSERT_TRUE(WriteFile(pod_ + "/f", ""));
  EXPECT_FALSE(IsPodFolder(pod_));
}

TEST_F(OwnFoldersTest, APodIsNotMadeWhereSomethingElseIs) {
  EXPECT_TRUE(CheckPodPlace(folder_.path() + "/none"));
  EXPECT_TRUE(CheckPodPlace(pod_));
  ASSERT_TRUE(WriteFile(pod_ + "/f", ""));
  const auto checked = CheckPodPlace(pod_);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, testing::StartsWith(pod_ + " is in the pod's place"));
}

TEST_F(OwnFoldersTest, AFileOrALinkIsNoFolder) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/f", ""));
  ASSERT_EQ(::symlink(pod_.c_str(), (folder_.path() + "/link").c_str()), 0);
  for (const char* name : {"/f", "/link", "/missing"}) {
    EXPECT_FALSE(IsPodFolder(folder_.path() + name)) << name;
    EXPECT_FALSE(IsLogFolder(folder_.path() + name)) << name;
  }
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

// /proc is a mount point.
TEST(OwnFolders, AMountPointIsNobodys) {
  EXPECT_FALSE(IsPodFolder("/proc"));
  EXPECT_FALSE(IsLogFolder("/proc"));
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

TEST_F(OwnFoldersTest, APodThatIsBeingDeletedIsOfNoRuntime) {
  ASSERT_TRUE(MakeFolders(folder_.path() + "/.gone-u-1"));
  ASSERT_TRUE(WriteFile(folder_.path() + "/.gone-u-1/record", ""));
  EXPECT_TRUE(CheckPodsAreOwn(folder_.path(), kProcessPodMarks));
}

TEST_F(OwnFoldersTest, FoldersOfPodsThatCannotBeListedAreNotTakenForNone) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/f", ""));
  EXPECT_FALSE(CheckPodsAreOwn(folder_.path() + "/f", kProcessPodMarks));
}

}  // namespace
}  // namespace jettison::kernel
