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
  pod_host::TemporaryFolder folder_;
  pod_host::Paths paths_{folder_.path()};
};

TEST_F(Quarantine, FilesAndLogsOfAPodGoToOnePlaceAndThoseOfOthersStay) {
  ASSERT_TRUE(pod_host::MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(pod_host::WriteFile(paths_.Volumes("u") + "/data", "dear"));
  ASSERT_TRUE(pod_host::MakeFolders(paths_.Logs() + "/ns_pod_u/main"));
  ASSERT_TRUE(pod_host::MakeFolders(paths_.Logs() + "/ns_pod_v_u/main"));
  const auto place = SetAside(paths_, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(*place, folder_.path() + "/quarantine/u-7");
  EXPECT_EQ(pod_host::ReadFile(*place + "/volumes/data").value_or(""), "dear");
  EXPECT_TRUE(pod_host::Exists(*place + "/logs/ns_pod_u/main"));
  EXPECT_FALSE(pod_host::Exists(paths_.Pod("u")));
  EXPECT_TRUE(pod_host::Exists(paths_.Logs() + "/ns_pod_v_u/main"));
}

TEST_F(Quarantine, APodWithoutFilesLeavesNothing) {
  const auto place = SetAside(paths_, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(*place, "");
}

TEST_F(Quarantine, WhatCannotBeMovedStays) {
  ASSERT_TRUE(pod_host::MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(pod_host::WriteFile(folder_.path() + "/quarantine", "in the way"));
  EXPECT_FALSE(SetAside(paths_, "u", kNow));
  EXPECT_TRUE(pod_host::Exists(paths_.Volumes("u")));
}

TEST(LiveQuarantine, NoMountLeadsOutOfIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
  const pod_host::TemporaryFolder host;
  const pod_host::TemporaryFolder folder;
  // The kernel names mounts by their real place.
  const std::string link = folder.path() + "/link";
  ASSERT_TRUE(pod_host::MakeFolders(folder.path() + "/root"));
  ASSERT_EQ(::symlink("root", link.c_str()), 0);
  const pod_host::Paths paths(link);
  ASSERT_TRUE(pod_host::MakeFolders(paths.Volumes("u")));
  ASSERT_TRUE(pod_host::MakeFolders(host.path() + "/data"));
  ASSERT_TRUE(pod_host::WriteFile(host.path() + "/data/file", "dear"));
  ASSERT_TRUE(BindSubPath({host.path(), "data"}, paths.Pod("u") + "/sub-paths/main/0"));
  ASSERT_TRUE(pod_host::Exists(paths.Pod("u") + "/sub-paths/main/0/file"));
  const auto place = SetAside(paths, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_FALSE(pod_host::Exists(*place + "/sub-paths/main/0/file"));
  EXPECT_EQ(pod_host::ReadFile(host.path() + "/data/file").value_or(""), "dear");
}

}  // namespace
}  // namespace jettison::cri
