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

}  // namespace
}  // namespace jettison
