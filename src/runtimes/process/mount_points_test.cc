#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/process/pod_removal.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseMountPoints, LeavesOutWhatIsDamaged) {
  EXPECT_THAT(ParseMountPoints(""), IsEmpty());
  EXPECT_THAT(ParseMountPoints("d /a\nf /a/b c\nx /c\nd relative\n\nd /cut off"),
              ElementsAre(MountPoint{true, "/a"}, MountPoint{false, "/a/b c"}));
}

class ReleaseMountPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* uid : {"a", "b"}) ASSERT_TRUE(MakeFolders(paths_.Pod(uid)));
    ASSERT_TRUE(MakeFolders(host_ + "/x/y"));
    ASSERT_TRUE(WriteFile(host_ + "/file", ""));
    ASSERT_TRUE(WriteFile(paths_.MountPoints("a"),
                          "d " + host_ + "/x\nd " + host_ + "/x/y\nf " + host_ + "/file\n"));
  }

  void Release(std::string_view uid, const MountPointUser& user_of) {
    const std::atomic<bool> wanted = true;
    const MountPointRelease release = PlanRelease(ReadMountPoints(paths_, uid), user_of);
    HandOver(paths_, release.handed_over);
    for (const PathStep& step : release.removals) EXPECT_TRUE(step.work(wanted));
  }

  TemporaryFolder folder_;
  const Paths paths_{folder_.path()};
  const std::string host_ = folder_.path() + "/host";
};

TEST_F(ReleaseMountPointsTest, WhatIsStillEmptyGoesTheInnermostFirst) {
  Release("a", [](std::string_view) { return std::nullopt; });
  EXPECT_FALSE(Exists(host_ + "/x"));
  EXPECT_FALSE(Exists(host_ + "/file"));
}

TEST_F(ReleaseMountPointsTest, WhatIsUsedByNowStays) {
  ASSERT_TRUE(WriteFile(host_ + "/x/y/mine", "1"));
  ASSERT_TRUE(WriteFile(host_ + "/file", "mine"));
  Release("a", [](std::string_view) { return std::nullopt; });
  EXPECT_TRUE(Exists(host_ + "/x/y/mine"));
  EXPECT_EQ(*ReadFile(host_ + "/file"), "mine");
}

TEST_F(ReleaseMountPointsTest, WhatAnotherPodUsesGoesWithThatOne) {
  Release("a", [&](std::string_view path) -> std::optional<std::string> {
    if (path.find("/x") == std::string_view::npos) return std::nullopt;
    return "b";
  });
  EXPECT_TRUE(Exists(host_ + "/x/y"));
  EXPECT_FALSE(Exists(host_ + "/file"));
  Release("b", [](std::string_view) { return std::nullopt; });
  EXPECT_FALSE(Exists(host_ + "/x"));
}

}  // namespace
}  // namespace jettison::process
