#include "machine/pods_group_lock.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "machine/host_cgroups.h"

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(LockHolder, IsFoundByTheFile) {
  const std::string locks =
      "1: POSIX  ADVISORY  WRITE 11 00:1c:99 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 12 00:1c:100 0 EOF\n"
      "junk\n"
      "3: FLOCK  ADVISORY  WRITE 13 fd:01:99 0 EOF\n"
      "4: FLOCK  ADVISORY  WRITE 14 00:1c:99 0 EOF\n"
      "4: -> FLOCK  ADVISORY  WRITE 15 00:1c:99 0 EOF\n";
  EXPECT_EQ(LockHolder(locks, 0, 0x1c, 99), 14);
  EXPECT_EQ(LockHolder(locks, 0xfd, 1, 99), 13);
  EXPECT_EQ(LockHolder(locks, 0, 0x1c, 7), 0);
  EXPECT_EQ(LockHolder("", 0, 0, 0), 0);
}

TEST(LivePodsGroupLock, IsHadByOneAtATimeAndEndsWithItsHolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
  auto groups = OpenHostCgroups({});
  if (!groups) GTEST_SKIP() << groups.error().message;
  const PodsGroupName name{.path = fmt::format("jettison-lock-{}", getpid()), .shown = "/shown"};
  {
    const auto one = LockPodsGroup(**groups, name, "/root/one");
    ASSERT_TRUE(one);
    ASSERT_TRUE(*one);
    const auto two = LockPodsGroup(**groups, name, "/root/two");
    ASSERT_FALSE(two);
    EXPECT_EQ(two.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(two.error().message, HasSubstr("/shown"));
    EXPECT_THAT(two.error().message, HasSubstr(fmt::format("process {} (", getpid())));
    EXPECT_THAT(two.error().message, HasSubstr("/root/two"));
  }
  EXPECT_TRUE(LockPodsGroup(**groups, name, "/root/two"));
  EXPECT_TRUE((*groups)->Remove(name.path));
}

}  // namespace
}  // namespace jettison
