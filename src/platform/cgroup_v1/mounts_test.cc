#include "platform/cgroup_v1/mounts.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison::cgroup_v1 {
namespace {

constexpr const char* kMemoryMount =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n";

TEST(MountInfo, AHybridHostOfLinux618IsUnderstood) {
  const auto points = ReadMountInfo(std::string(JETTISON_ROOM_TESTDATA) + "/6.18/mountinfo");
  ASSERT_TRUE(points) << points.error().message;
  EXPECT_EQ((*points)[Controller::kMemory], "/sys/fs/cgroup/memory");
  EXPECT_EQ((*points)[Controller::kCpu], "/sys/fs/cgroup/cpu");
  EXPECT_EQ((*points)[Controller::kCpuacct], "/sys/fs/cgroup/cpuacct");
  EXPECT_EQ((*points)[Controller::kPids], "/sys/fs/cgroup/pids");
  EXPECT_EQ((*points)[Controller::kFreezer], "/sys/fs/cgroup/freezer");
  EXPECT_EQ((*points)[Controller::kUnified], "/sys/fs/cgroup/unified");
}

TEST(MountInfo, ControllersMountedTogetherShareAMountPoint) {
  const MountPoints points = ParseMountInfo(
      "30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
  EXPECT_EQ(points[Controller::kCpu], "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(points[Controller::kCpuacct], points[Controller::kCpu]);
  EXPECT_EQ(points[Controller::kMemory], std::nullopt);
}

TEST(MountInfo, APureV2HostHasOnlyTheUnifiedTree) {
  const MountPoints points =
      ParseMountInfo("25 24 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  EXPECT_EQ(points[Controller::kUnified], "/sys/fs/cgroup");
  EXPECT_EQ(points[Controller::kMemory], std::nullopt);
}

TEST(MountInfo, HierarchiesThatOnlyOthersUseAreListedByTheirRoots) {
  const MountPoints points = ParseMountInfo(
      "30 29 0:26 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "31 29 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
      "32 29 0:28 /docker/x /bound rw - cgroup cgroup rw,blkio\n"
      "33 29 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "34 29 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(points.others,
            (std::vector<std::string>{"/sys/fs/cgroup/cpuset", "/sys/fs/cgroup/systemd"}));
}

TEST(MountInfo, AMountOfTheRootWinsOverABoundGroupInEitherOrder) {
  const std::string bound = "40 31 0:32 /docker/x /other rw - cgroup cgroup rw,memory\n";
  for (const std::string& text : {bound + kMemoryMount, kMemoryMount + bound}) {
    EXPECT_EQ(ParseMountInfo(text)[Controller::kMemory], "/sys/fs/cgroup/memory");
  }
  EXPECT_EQ(ParseMountInfo(bound)[Controller::kMemory], "/other");
}

TEST(MountInfo, EscapedCharactersOfAMountPointAreRestored) {
  const MountPoints points =
      ParseMountInfo(R"(35 31 0:32 / /a\040b\134c\011\12x rw - cgroup cgroup rw,memory)");
  EXPECT_EQ(points[Controller::kMemory], "/a b\\c\t\\12x");
}

TEST(MountInfo, NeitherANamedHierarchyNorALongerNameIsTakenForAController) {
  const MountPoints points = ParseMountInfo(
      "1 1 0:1 / /s rw - cgroup cgroup rw,name=memory\n"
      "2 1 0:2 / /t rw - cgroup cgroup rw,memoryx\n"
      "3 1 0:3 / /memory rw - tmpfs memory rw,memory\n");
  EXPECT_EQ(points[Controller::kMemory], std::nullopt);
}

TEST(MountInfo, LinesOutOfFormatAreSkippedAndHarmNoOther) {
  const MountPoints points =
      ParseMountInfo(std::string("\n-\n - cgroup cgroup rw,memory\n35 31 0:32 / /x rw - cgroup\n"
                                 "35 31 0:32 / /x rw cgroup cgroup rw,memory\n\\\\\\\n") +
                     kMemoryMount);
  EXPECT_EQ(points[Controller::kMemory], "/sys/fs/cgroup/memory");
}

TEST(MountInfo, AMissingFileIsNotFound) {
  EXPECT_EQ(ReadMountInfo("/nonexistent/mountinfo").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace jettison::cgroup_v1
