#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/files/testing/temporary_folder.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kHosts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
constexpr const char* kWithin = "30 23 0:26 /../../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
constexpr const char* kOther = "40 23 8:1 /../x /mnt rw - ext4 /dev/sda rw\n";

TEST(HostCgroupView, IsMissingWhereAMountBeginsAboveTheRoot) {
  const auto seen_from_within = [](const std::string& text) {
    return AreGroupsSeenFromWithin(kernel::ParseMounts(text));
  };
  EXPECT_FALSE(seen_from_within(kHosts));
  EXPECT_FALSE(seen_from_within(std::string(kHosts) + kOther));
  EXPECT_TRUE(seen_from_within(kWithin));
  EXPECT_TRUE(seen_from_within("5 4 0:3 /.. /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"));
}

TEST(HostCgroupView, IsOnlyEnteredWhereItIsMissing) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/mountinfo";
  std::ofstream(file) << kHosts;
  EXPECT_TRUE(EnterHostCgroupView(file, "/nowhere"));
  std::ofstream(file) << kWithin;
  const auto refused = EnterHostCgroupView(file, "/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("SYS_ADMIN and SYS_PTRACE"));
}

// A group of the unified hierarchy, for a process that takes it for the root. 0: all is well.
int LookFromWithin(const std::string& group, const std::string& host) {
  std::ofstream(group + "/cgroup.procs") << ::getpid() << std::flush;
  if (::unshare(CLONE_NEWCGROUP) != 0) return 1;
  const auto sees_from_within = [] {
    return AreGroupsSeenFromWithin(*kernel::ReadMounts("/proc/self/mountinfo"));
  };
  if (!sees_from_within()) return 2;
  if (!EnterHostCgroupView("/proc/self/mountinfo", host)) return 3;
  return sees_from_within() ? 4 : 0;
}

TEST(LiveHostCgroupView, IsEnteredFromANamespaceBelow) {
  const auto mounts = kernel::ReadMounts("/proc/self/mountinfo");
  ASSERT_TRUE(mounts);
  std::string unified;
  for (const kernel::Mount& mount : *mounts) {
    if (mount.type == "cgroup2" && mount.IsOfRoot()) unified = mount.point;
  }
  if (unified.empty() || ::geteuid() != 0) GTEST_SKIP() << "needs root and a unified hierarchy";
  const std::string group = fmt::format("{}/jettison-view-{}", unified, ::getpid());
  ASSERT_TRUE(fs::create_directory(group));
  const std::string host = fmt::format("/proc/{}/ns/cgroup", ::getpid());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(LookFromWithin(group, host));
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  EXPECT_TRUE(fs::remove(group));
}

}  // namespace
}  // namespace jettison
