#include "platform/cri/sub_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "platform/cri/tree_removal.h"
#include "pod_host/files.h"
#include "pod_host/temporary_folder.h"

namespace jettison::cri {
namespace {

using testing::HasSubstr;

class LiveSubPath : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
    ASSERT_TRUE(pod_host::MakeFolders(volume_));
    ASSERT_TRUE(pod_host::MakeFolders(folder_.path() + "/outside"));
  }
  void TearDown() override { EXPECT_EQ(RemoveTree((folder_.path() + "/places").c_str()), 0); }

  pod_host::TemporaryFolder folder_;
  const std::string volume_ = folder_.path() + "/volume";
  const std::string place_ = folder_.path() + "/places/c/0";
};

TEST_F(LiveSubPath, FoldersThatAreMissingAreMade) {
  const auto bound = BindSubPath(volume_, "a/b/c", place_);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(*bound, place_);
  ASSERT_TRUE(pod_host::WriteFile(place_ + "/file", "x"));
  EXPECT_TRUE(pod_host::Exists(volume_ + "/a/b/c/file"));
}

TEST_F(LiveSubPath, AFileIsShownAsAFileAndTheNextRunSeesTheNextContent) {
  ASSERT_TRUE(pod_host::WriteFile(volume_ + "/file", "one"));
  ASSERT_TRUE(BindSubPath(volume_, "file", place_));
  EXPECT_EQ(*pod_host::ReadFile(place_), "one");
  ASSERT_TRUE(pod_host::MakeFolders(volume_ + "/folder/inner"));
  ASSERT_TRUE(BindSubPath(volume_, "folder", place_));
  EXPECT_TRUE(pod_host::Exists(place_ + "/inner"));
  EXPECT_EQ(*pod_host::ReadFile(volume_ + "/file"), "one") << "only the mount was replaced";
}

TEST_F(LiveSubPath, LinksLeadAnywhereWithinTheVolumeAndNeverOut) {
  ASSERT_TRUE(pod_host::MakeFolders(volume_ + "/inner"));
  ASSERT_EQ(::symlink("inner", (volume_ + "/within").c_str()), 0);
  EXPECT_TRUE(BindSubPath(volume_, "within", place_));
  const std::string outside = folder_.path() + "/outside";
  ASSERT_EQ(::symlink(outside.c_str(), (volume_ + "/absolute").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", (volume_ + "/relative").c_str()), 0);
  for (const char* path : {"absolute", "relative", "absolute/new", "relative/new", ".."}) {
    EXPECT_FALSE(BindSubPath(volume_, path, place_)) << path;
  }
  EXPECT_FALSE(pod_host::Exists(outside + "/new"));
  const auto missing = BindSubPath(volume_ + "/none", "x", place_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace jettison::cri
