#include "runtimes/cri/pods/quarantine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/cri/host/sub_path.h"

namespace jettison::cri {
namespace {

constexpr Instant kNow = Instant(std::chrono::nanoseconds(7));

class Quarantine : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  kernel::Paths paths_{folder_.path()};
};

TEST_F(Quarantine, FilesAndLogsOfAPodGoToOnePlaceAndThoseOfOthersStay) {
  ASSERT_TRUE(kernel::MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(kernel::WriteFile(paths_.Volumes("u") + "/data", "dear"));
  ASSERT_TRUE(kernel::MakeFolders(paths_.Logs() + "/ns_pod_u/main"));
  ASSERT_TRUE(kernel::MakeFolders(paths_.Logs() + "/ns_pod_v_u/main"));
  const auto place = SetAside(paths_, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(*place, folder_.path() + "/quarantine/u-7");
  EXPECT_EQ(kernel::ReadFile(*place + "/volumes/data").value_or(""), "dear");
  EXPECT_TRUE(kernel::Exists(*place + "/logs/ns_pod_u/main"));
  EXPECT_FALSE(kernel::Exists(paths_.Pod("u")));
  EXPECT_TRUE(kernel::Exists(paths_.Logs() + "/ns_pod_v_u/main"));
}

TEST_F(Quarantine, APodWithoutFilesLeavesNothing) {
  const auto place = SetAside(paths_, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(*place, "");
}

TEST_F(Quarantine, WhatCannotBeMovedStays) {
  ASSERT_TRUE(kernel::MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(kernel::WriteFile(folder_.path() + "/quarantine", "in the way"));
  EXPECT_FALSE(SetAside(paths_, "u", kNow));
  EXPECT_TRUE(kernel::Exists(paths_.Volumes("u")));
}

TEST(LiveQuarantine, NoMountLeadsOutOfIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
  const kernel::TemporaryFolder host;
  const kernel::TemporaryFolder folder;
  // The kernel lists mounts by their real paths.
  const std::string link = folder.path() + "/link";
  ASSERT_TRUE(kernel::MakeFolders(folder.path() + "/root"));
  ASSERT_EQ(::symlink("root", link.c_str()), 0);
  const kernel::Paths paths(link);
  ASSERT_TRUE(kernel::MakeFolders(paths.Volumes("u")));
  ASSERT_TRUE(kernel::MakeFolders(host.path() + "/data"));
  ASSERT_TRUE(kernel::WriteFile(host.path() + "/data/file", "dear"));
  ASSERT_TRUE(BindSubPath({host.path(), "data"}, paths.Pod("u") + "/sub-paths/main/0"));
  ASSERT_TRUE(kernel::Exists(paths.Pod("u") + "/sub-paths/main/0/file"));
  const auto place = SetAside(paths, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_FALSE(kernel::Exists(*place + "/sub-paths/main/0/file"));
  EXPECT_EQ(kernel::ReadFile(host.path() + "/data/file").value_or(""), "dear");
}

}  // namespace
}  // namespace jettison::cri
