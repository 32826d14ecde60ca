#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/mounts/mount_info.h"
#include "pods/earlier_pods.h"

namespace jettison {
namespace {

using namespace kernel;

constexpr Instant kNow = Instant(std::chrono::nanoseconds(7));

class Quarantine : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Paths paths_{folder_.path()};
};

TEST_F(Quarantine, FilesAndLogsOfAPodGoToOnePlaceAndThoseOfOthersStay) {
  ASSERT_TRUE(MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(WriteFile(paths_.Volumes("u") + "/data", "dear"));
  ASSERT_TRUE(MakeFolders(paths_.Logs() + "/ns_pod_u/main"));
  ASSERT_TRUE(MakeFolders(paths_.Logs() + "/ns_pod_v_u/main"));
  const auto place = SetAside(paths_, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(*place, folder_.path() + "/quarantine/u-7");
  EXPECT_EQ(ReadFile(*place + "/volumes/data").value_or(""), "dear");
  EXPECT_TRUE(Exists(*place + "/logs/ns_pod_u/main"));
  EXPECT_FALSE(Exists(paths_.Pod("u")));
  EXPECT_TRUE(Exists(paths_.Logs() + "/ns_pod_v_u/main"));
}

TEST_F(Quarantine, WhatCannotBeMovedStays) {
  ASSERT_TRUE(MakeFolders(paths_.Volumes("u")));
  ASSERT_TRUE(WriteFile(folder_.path() + "/quarantine", "in the way"));
  EXPECT_FALSE(SetAside(paths_, "u", kNow));
  EXPECT_TRUE(Exists(paths_.Volumes("u")));
}

TEST(LiveQuarantine, NoMountLeadsOutOfIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
  const TemporaryFolder host;
  const TemporaryFolder folder;
  // The kernel lists mounts by their real paths.
  const std::string link = folder.path() + "/link";
  ASSERT_TRUE(MakeFolders(folder.path() + "/root"));
  ASSERT_EQ(::symlink("root", link.c_str()), 0);
  const Paths paths(link);
  ASSERT_TRUE(MakeFolders(paths.Volumes("u")));
  ASSERT_TRUE(MakeFolders(host.path() + "/data"));
  ASSERT_TRUE(WriteFile(host.path() + "/data/file", "dear"));
  const std::string place_of_data = paths.Pod("u") + "/sub-paths/main/0";
  ASSERT_TRUE(MakeFolders(place_of_data));
  const FileDescriptor data(::open((host.path() + "/data").c_str(), O_PATH | O_CLOEXEC));
  ASSERT_TRUE(BindPrivately(data, place_of_data));
  ASSERT_TRUE(Exists(paths.Pod("u") + "/sub-paths/main/0/file"));
  const auto place = SetAside(paths, "u", kNow);
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_FALSE(Exists(*place + "/sub-paths/main/0/file"));
  EXPECT_EQ(ReadFile(host.path() + "/data/file").value_or(""), "dear");
}

}  // namespace
}  // namespace jettison
