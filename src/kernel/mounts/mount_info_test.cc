#include "kernel/mounts/mount_info.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

namespace jettison::kernel {
namespace {

constexpr const char* kMemoryMount =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n";

TEST(MountInfo, ALineIsReadBehindAnyNumberOfOptionalFields) {
  const auto mounts = ParseMounts(
      std::string(kMemoryMount) +
      "25 24 0:22 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
      "26 24 0:23 / /x rw shared:9 master:2 propagate_from:1 - ext4 /dev/vda rw,errors=continue\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_TRUE(mounts[0].IsOfRoot());
  EXPECT_TRUE(mounts[0].HasOption("memory"));
  EXPECT_FALSE(mounts[0].HasOption("mem"));
  EXPECT_FALSE(mounts[1].IsOfRoot());
  EXPECT_EQ(mounts[1].type, "cgroup2");
  EXPECT_EQ(mounts[2].point, "/x");
  EXPECT_EQ(mounts[2].type, "ext4");
  EXPECT_EQ(mounts[2].device, ::makedev(0, 23));
}

TEST(MountInfo, EscapedCharactersOfAMountPointAreRestored) {
  const auto mounts =
      ParseMounts(R"(35 31 0:32 / /a\040b\134c\011\12x rw - cgroup cgroup rw,memory)");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].point, "/a b\\c\t\\12x");
}

TEST(MountInfo, LinesOutOfFormatAreSkippedAndHarmNoOther) {
  const auto mounts =
      ParseMounts(std::string("\n-\n - cgroup cgroup rw,memory\n35 31 0:32 / /x rw - cgroup\n"
                              "35 31 0:32 / /x rw cgroup cgroup rw,memory\n\\\\\\\n") +
                  kMemoryMount);
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/memory");
}

}  // namespace
}  // namespace jettison::kernel
