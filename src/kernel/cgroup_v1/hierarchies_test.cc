#include "kernel/cgroup_v1/hierarchies.h"

#include <gtest/gtest.h>

namespace jettison::cgroup_v1 {
namespace {

constexpr const char* kMemoryMount =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n";

MountPoints Find(std::string_view text) {
  return FindHierarchies(kernel::ParseMounts(text));
}

TEST(Hierarchies, AHybridHostOfLinux618IsUnderstood) {
  const auto mounts = kernel::ReadMounts(std::string(JETTISON_ROOM_TESTDATA) + "/6.18/mountinfo");
  ASSERT_TRUE(mounts) << mounts.error().message;
  const MountPoints points = FindHierarchies(*mounts);
  EXPECT_EQ(points[Controller::kMemory], "/sys/fs/cgroup/memory");
  EXPECT_EQ(points[Controller::kCpu], "/sys/fs/cgroup/cpu");
  EXPECT_EQ(points[Controller::kCpuacct], "/sys/fs/cgroup/cpuacct");
  EXPECT_EQ(points[Controller::kPids], "/sys/fs/cgroup/pids");
  EXPECT_EQ(points[Controller::kFreezer], "/sys/fs/cgroup/freezer");
  EXPECT_EQ(points[Controller::kUnified], "/sys/fs/cgroup/unified");
}

TEST(Hierarchies, APureV2HostHasOnlyTheUnifiedTree) {
  const MountPoints points =
      Find("25 24 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  EXPECT_EQ(points[Controller::kUnified], "/sys/fs/cgroup");
  EXPECT_EQ(points[Controller::kMemory], std::nullopt);
}

TEST(Hierarchies, HierarchiesThatOnlyOthersUseAreListedByTheirRoots) {
  const MountPoints points = Find(
      "30 29 0:26 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "31 29 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
      "32 29 0:28 /docker/x /bound rw - cgroup cgroup rw,blkio\n"
      "33 29 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "34 29 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(points.others,
            (std::vector<std::string>{"/sys/fs/cgroup/cpuset", "/sys/fs/cgroup/systemd"}));
}

TEST(Hierarchies, AMountOfTheRootWinsOverABoundGroupInEitherOrder) {
  const std::string bound = "40 31 0:32 /docker/x /other rw - cgroup cgroup rw,memory\n";
  for (const std::string& text : {bound + kMemoryMount, kMemoryMount + bound}) {
    EXPECT_EQ(Find(text)[Controller::kMemory], "/sys/fs/cgroup/memory");
  }
  EXPECT_EQ(Find(bound)[Controller::kMemory], "/other");
}

}  // namespace
}  // namespace jettison::cgroup_v1
