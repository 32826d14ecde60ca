#include "runtimes/cri/containers/sub_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "pods/tree_removal.h"

namespace jettison::cri {
namespace {

using testing::HasSubstr;

class LiveSubPath : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
    ASSERT_TRUE(kernel::MakeFolders(volume_));
    ASSERT_TRUE(kernel::MakeFolders(folder_.path() + "/outside"));
  }
  void TearDown() override { EXPECT_EQ(RemoveTree((folder_.path() + "/places").c_str()), 0); }

  kernel::TemporaryFolder folder_;
  const std::string volume_ = folder_.path() + "/volume";
  const std::string place_ = folder_.path() + "/places/c/0";
};

TEST_F(LiveSubPath, FoldersThatAreMissingAreMade) {
  const auto bound = BindSubPath({volume_, "a/b/c"}, place_);
  ASSERT_TRUE(bound) << bound.error().message;
  ASSERT_TRUE(kernel::WriteFile(place_ + "/file", "x"));
  EXPECT_TRUE(kernel::Exists(volume_ + "/a/b/c/file"));
}

TEST_F(LiveSubPath, AFileIsShownAsAFileAndTheNextRunSeesTheNextContent) {
  ASSERT_TRUE(kernel::WriteFile(volume_ + "/file", "one"));
  ASSERT_TRUE(BindSubPath({volume_, "file"}, place_));
  EXPECT_EQ(*kernel::ReadFile(place_), "one");
  ASSERT_TRUE(kernel::MakeFolders(volume_ + "/folder/inner"));
  ASSERT_TRUE(BindSubPath({volume_, "folder"}, place_));
  EXPECT_TRUE(kernel::Exists(place_ + "/inner"));
  EXPECT_EQ(*kernel::ReadFile(volume_ + "/file"), "one") << "only the mount was replaced";
}

TEST_F(LiveSubPath, LinksLeadAnywhereWithinTheVolumeAndNeverOut) {
  ASSERT_TRUE(kernel::MakeFolders(volume_ + "/inner"));
  ASSERT_EQ(::symlink("inner", (volume_ + "/within").c_str()), 0);
  EXPECT_TRUE(BindSubPath({volume_, "within"}, place_));
  const std::string outside = folder_.path() + "/outside";
  ASSERT_EQ(::symlink(outside.c_str(), (volume_ + "/absolute").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", (volume_ + "/relative").c_str()), 0);
  for (const char* path : {"absolute", "relative", "absolute/new", "relative/new", ".."}) {
    EXPECT_FALSE(BindSubPath({volume_, path}, place_)) << path;
  }
  EXPECT_FALSE(kernel::Exists(outside + "/new"));
  const auto missing = BindSubPath({volume_ + "/none", "x"}, place_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
}

TEST_F(LiveSubPath, NothingIsMadeInWhatTheOperatorKeeps) {
  const std::string link = folder_.path() + "/configured";
  ASSERT_EQ(::symlink(volume_.c_str(), link.c_str()), 0);
  ASSERT_TRUE(kernel::WriteFile(volume_ + "/key", "value"));
  EXPECT_TRUE(BindSubPath({link, "key", true}, place_));
  EXPECT_EQ(*kernel::ReadFile(place_), "value");
  const auto missing = BindSubPath({link, "typo/inner", true}, place_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("typo/inner"));
  EXPECT_FALSE(kernel::Exists(volume_ + "/typo"));
  // The pod's own folder, in place of a configMap that is optional and missing.
  const std::string own = folder_.path() + "/own";
  ASSERT_TRUE(kernel::MakeFolders(own));
  EXPECT_TRUE(BindSubPath({own, "typo/inner", true}, place_));
}

}  // namespace
}  // namespace jettison::cri
