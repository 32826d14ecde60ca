#include <gtest/gtest.h>

#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

std::vector<kernel::Mount> Mounts() {
  return {{.root = "/", .point = "/", .type = "ext4"},
          {.root = "/", .point = "/var/lib", .type = "xfs"},
          {.root = "/", .point = "/var/lib/data", .type = "nfs4"},
          {.root = "/", .point = "/var/lib/data", .type = "tmpfs"}};
}

std::string TypeAt(std::string_view path) {
  const auto mounts = Mounts();
  const kernel::Mount* mount = MountOf(mounts, path);
  return mount == nullptr ? "" : mount->type;
}

TEST(MountOf, IsTheLongestBeginningOfThePath) {
  EXPECT_EQ(TypeAt("/"), "ext4");
  EXPECT_EQ(TypeAt("/var"), "ext4");
  EXPECT_EQ(TypeAt("/var/lib"), "xfs");
  EXPECT_EQ(TypeAt("/var/lib/x"), "xfs");
  EXPECT_EQ(TypeAt("/var/library"), "ext4");
  EXPECT_EQ(TypeAt("relative"), "");
}

TEST(MountOf, TheLastOneOnAPointHidesThoseBefore) {
  EXPECT_EQ(TypeAt("/var/lib/data/x"), "tmpfs");
}

TEST(AnswersByItself, LocalFileSystemsDoAndEverythingElseMayNot) {
  for (const char* type : {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "rootfs", "zfs"}) {
    EXPECT_TRUE(AnswersByItself(type)) << type;
  }
  for (const char* type : {"nfs", "nfs4", "cifs", "ceph", "9p", "virtiofs", "fuse", "fuse.sshfs",
                           "autofs", "unheard-of", ""}) {
    EXPECT_FALSE(AnswersByItself(type)) << type;
  }
}

}  // namespace
}  // namespace jettison
