#include <gtest/gtest.h>

#include "core/thresholds/fields.h"

namespace jettison {
namespace {

TEST(Paths, AnAbsolutePathHasNoWayUp) {
  for (const char* path : {"/", "/a", "/a/b/", "/a/..b"}) EXPECT_EQ(FaultOfAbsolutePath(path), "");
  for (const char* path : {"", "a", "./a", "/a/../b", "/..", "/a/.."}) {
    EXPECT_NE(FaultOfAbsolutePath(path), "") << path;
  }
  EXPECT_NE(FaultOfAbsolutePath(std::string_view("/a\0b", 4)), "");
}

TEST(Paths, ARelativePathCountsFromTheDirectoryOfItsFile) {
  EXPECT_EQ(JoinedPath(DirectoryOf("/etc/j/config.yaml"), "pods"), "/etc/j/pods");
  EXPECT_EQ(JoinedPath(DirectoryOf("/config.yaml"), "pods"), "/pods");
  EXPECT_EQ(JoinedPath(DirectoryOf("conf/config.yaml"), "../pods"), "conf/../pods");
  EXPECT_EQ(JoinedPath(DirectoryOf("config.yaml"), "pods"), "pods");
  EXPECT_EQ(JoinedPath(DirectoryOf("/etc/config.yaml"), "/pods"), "/pods");
}

TEST(Paths, TrailingSlashesGo) {
  EXPECT_EQ(WithoutTrailingSlash("/a//"), "/a");
  EXPECT_EQ(WithoutTrailingSlash("//"), "/");
}

}  // namespace
}  // namespace jettison
