#include <gtest/gtest.h>

#include "agent/reclaim/reclaimer.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Instant kStart{std::chrono::hours(1)};

NodeStats WithImageFs(std::uint64_t available, std::uint64_t inodes = 100) {
  NodeStats stats;
  stats.image_fs = FsStats{.available_bytes = available, .inodes_free = inodes};
  return stats;
}

TEST(SpaceSettling, InodesAndOtherFileSystemsCountAsWell) {
  SpaceSettling settling(WithImageFs(100), kStart);
  EXPECT_FALSE(settling.Look(WithImageFs(100, 101), kStart + milliseconds(900)));
  NodeStats stats = WithImageFs(100);
  stats.container_fs = FsStats{.available_bytes = 5};
  EXPECT_FALSE(settling.Look(stats, kStart + milliseconds(1800)));
  EXPECT_TRUE(settling.Look(stats, kStart + milliseconds(2800)));
}

TEST(SpaceSettling, IsGivenUpAfterTenSeconds) {
  SpaceSettling settling(WithImageFs(0), kStart);
  for (int i = 1; i < 10; ++i) {
    const auto gained = static_cast<std::uint64_t>(i);
    EXPECT_FALSE(settling.Look(WithImageFs(gained), kStart + seconds(1) * i));
  }
  EXPECT_TRUE(settling.Look(WithImageFs(10), kStart + seconds(10)));
}

}  // namespace
}  // namespace jettison
