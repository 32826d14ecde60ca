#include "kernel/filesystem/filesystem.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

struct statvfs Status() {
  struct statvfs status {};
  status.f_bsize = 1 << 20;  // the preferred size of a transfer: not the unit
  status.f_frsize = 4096;
  status.f_blocks = 1000;
  status.f_bfree = 300;
  status.f_bavail = 250;
  status.f_files = 50;
  status.f_ffree = 20;
  return status;
}

TEST(Filesystem, BlocksAreOfTheFragmentSizeAndTheReserveIsNotAvailable) {
  const FsStats stats = FsStatsOf(Status());
  EXPECT_EQ(stats.capacity_bytes, 4096000U);
  EXPECT_EQ(stats.available_bytes, 1024000U);
  EXPECT_EQ(stats.used_bytes, 2867200U);
  EXPECT_EQ(stats.inodes, 50U);
  EXPECT_EQ(stats.inodes_free, 20U);
  EXPECT_EQ(stats.inodes_used, 30U);
}

TEST(Filesystem, OneThatCountsNoInodesHasNoInodeFigures) {
  struct statvfs status = Status();
  status.f_files = 0;
  status.f_ffree = 0;
  const FsStats stats = FsStatsOf(status);
  EXPECT_EQ(stats.inodes, std::nullopt);
  EXPECT_EQ(stats.inodes_free, std::nullopt);
  EXPECT_EQ(stats.inodes_used, std::nullopt);
  EXPECT_TRUE(stats.capacity_bytes);
}

}  // namespace
}  // namespace jettison
