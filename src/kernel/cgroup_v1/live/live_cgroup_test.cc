#include <fcntl.h>
#include <sys/stat.h>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/live_cgroups.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

class LiveCgroupV1 : public LiveCgroups {
 protected:
  // The text of one file of the group, in the hierarchy at its usual place.
  [[nodiscard]] static std::string FileOf(const std::string& controller, const std::string& path,
                                          const std::string& file) {
    return FirstLineOf("/sys/fs/cgroup/" + controller + "/" + path + "/" + file);
  }
};

LiveCgroupsKind Kind() {
  return {.name = "V1",
          .open = [](std::chrono::milliseconds patience) -> Result<std::unique_ptr<Cgroups>> {
            return CgroupV1::Open({.remove_patience = patience});
          },
          .may_be_absent = true,
          .cpu_file = "/sys/fs/cgroup/cpu/cpu.shares",
          .freezer = {"/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"}};
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCgroups, testing::Values(Kind()), NameOfKind);
INSTANTIATE_TEST_SUITE_P(Live, LiveCgroupV1, testing::Values(Kind()), NameOfKind);

TEST_P(LiveCgroupV1, LimitsReachTheKernelAndLaterOnesReplaceThem) {
  for (const char* const controller : {"pids", "cpu"}) {
    if (!std::ifstream("/sys/fs/cgroup/" + std::string(controller) + "/cgroup.procs"))
      GTEST_SKIP() << controller << " is not mounted in its usual place";
  }
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 64 * kMiB,
                                     .cpu_shares = 512,
                                     .cpu_quota_us = 50000,
                                     .cpu_period_us = 100000,
                                     .pids_max = 10}));
  EXPECT_EQ(FileOf("memory", pod, "memory.limit_in_bytes"), std::to_string(64 * kMiB));
  EXPECT_EQ(FileOf("cpu", pod, "cpu.shares"), "512");
  EXPECT_EQ(FileOf("cpu", pod, "cpu.cfs_quota_us"), "50000");
  EXPECT_EQ(FileOf("pids", pod, "pids.max"), "10");
  ASSERT_TRUE(cgroups_->Create(pod, {.cpu_quota_us = -1, .pids_max = -1}));
  EXPECT_EQ(FileOf("cpu", pod, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(FileOf("pids", pod, "pids.max"), "max");
  EXPECT_EQ(FileOf("memory", pod, "memory.limit_in_bytes"), std::to_string(64 * kMiB));
}

TEST_P(LiveCgroupV1, BandwidthCanGoFromOneValidPairToAnother) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(group_, {.cpu_quota_us = 50000, .cpu_period_us = 100000}));
  ASSERT_TRUE(cgroups_->Create(pod, {.cpu_quota_us = 50000, .cpu_period_us = 100000}));
  // Writing the shorter period first would exceed the half CPU of the group above.
  const auto changed = cgroups_->Create(pod, {.cpu_quota_us = 5000, .cpu_period_us = 10000});
  EXPECT_TRUE(changed) << changed.error().message;
}

TEST_P(LiveCgroupV1, RemovalTakesWhatARuntimeMadeInOtherHierarchies) {
  const std::filesystem::path cpuset = "/sys/fs/cgroup/cpuset";
  if (!std::filesystem::exists(cpuset / "cpuset.cpus")) GTEST_SKIP() << "no cpuset hierarchy";
  std::filesystem::create_directories(cpuset / group_ / "pod/container");
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod", {}));
  const auto node = CgroupV1::Open({.node_cgroup = group_});
  ASSERT_TRUE(node) << node.error().message;
  ASSERT_TRUE((*node)->Remove("pod"));
  EXPECT_FALSE(std::filesystem::exists(cpuset / group_ / "pod"));
  EXPECT_TRUE(std::filesystem::exists(cpuset / group_));
  ASSERT_TRUE(cgroups_->Remove(group_));
  EXPECT_FALSE(std::filesystem::exists(cpuset / group_));
}

TEST_P(LiveCgroupV1, APodThatNestsItsGroupsDeepIsReadKilledAndRemovedWithFewDescriptors) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  auto deepest = cgroups_->OpenMemoryDirectory(pod).value();
  constexpr int kDepth = 300;
  for (int depth = 0; depth < kDepth; ++depth) {
    ASSERT_EQ(::mkdirat(deepest.get(), "n", 0755), 0) << depth;
    deepest = FileDescriptor(::openat(deepest.get(), "n", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ChildProcess child([](const auto&) { SleepForever(); });
  ASSERT_TRUE(kernel::WriteFile(deepest.get(), "cgroup.procs", std::to_string(child.pid())));
  deepest.Close();
  {
    const ScarceDescriptors few(kernel::kOpenGroups + 16);
    EXPECT_THAT(cgroups_->Processes(pod).value(), ElementsAre(child.pid()));
    EXPECT_TRUE(cgroups_->ReadMemory(pod));
    const auto killed = cgroups_->Kill(pod);
    ASSERT_TRUE(killed) << killed.error().message;
    EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
    const auto removed = cgroups_->Remove(pod);
    EXPECT_TRUE(removed) << removed.error().message;
  }
}

}  // namespace
}  // namespace jettison
