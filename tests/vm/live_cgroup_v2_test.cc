#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/groups/live_cgroups.h"

namespace jettison {
namespace {

class LiveCgroupV2 : public LiveCgroups {
 protected:
  [[nodiscard]] static std::string FileOf(const std::string& path, const std::string& file) {
    return FirstLineOf("/sys/fs/cgroup/" + path + "/" + file);
  }
};

LiveCgroupsKind Kind() {
  return {.name = "V2",
          .open = [](std::chrono::milliseconds patience) -> Result<std::unique_ptr<Cgroups>> {
            return CgroupV2::Open({.remove_patience = patience});
          },
          .cpu_file = "/sys/fs/cgroup/cgroup.controllers",
          .freezer = {"/sys/fs/cgroup", "cgroup.freeze", "1", "0"},
          .counts_oom_kills_above = true};
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCgroups, testing::Values(Kind()), NameOfKind);
INSTANTIATE_TEST_SUITE_P(Live, LiveCgroupV2, testing::Values(Kind()), NameOfKind);

TEST_P(LiveCgroupV2, LimitsReachTheKernelAndLaterOnesReplaceThem) {
  const std::string pod = group_ + "/pod";
  const auto made = cgroups_->Create(pod, {.memory_bytes = 64 * kMiB,
                                           .cpu_shares = 1024,
                                           .cpu_quota_us = 50000,
                                           .cpu_period_us = 100000,
                                           .pids_max = 10});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(FileOf(pod, "memory.max"), std::to_string(64 * kMiB));
  EXPECT_EQ(FileOf(pod, "cpu.weight"), "100");
  EXPECT_EQ(FileOf(pod, "cpu.max"), "50000 100000");
  EXPECT_EQ(FileOf(pod, "pids.max"), "10");
  ASSERT_TRUE(cgroups_->Create(pod, {.cpu_quota_us = -1, .pids_max = -1}));
  EXPECT_EQ(FileOf(pod, "cpu.max"), "max 100000");
  EXPECT_EQ(FileOf(pod, "pids.max"), "max");
  EXPECT_EQ(FileOf(pod, "memory.max"), std::to_string(64 * kMiB));
  EXPECT_EQ(FileOf(pod, "cgroup.subtree_control"), "") << "it may have processes of its own";
}

TEST_P(LiveCgroupV2, AProcessWrittenIntoTheFileOfAGroupIsInIt) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const std::function<void()>&) { SleepForever(); });
  child.Start();
  const auto files = cgroups_->OpenProcs(pod);
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 1U);
  const std::string pid = std::to_string(child.pid()) + "\n";
  ASSERT_EQ(::write((*files)[0].file.get(), pid.data(), pid.size()),
            static_cast<ssize_t>(pid.size()));
  EXPECT_THAT(*cgroups_->Processes(pod), ElementsAre(child.pid()));
}

TEST_P(LiveCgroupV2, ALimitBelowWhatIsUsedKillsNobody) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const auto& ready) {
    TouchMemory(32 * kMiB);
    ready();
    SleepForever();
  });
  Move(child, pod);
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  EXPECT_EQ(cgroups_->Create(pod, {.memory_bytes = 8 * kMiB}).error().code,
            ErrorCode::kUnavailable);
  EXPECT_EQ(FileOf(pod, "memory.max"), "max");
  EXPECT_THAT(*cgroups_->Processes(pod), ElementsAre(child.pid()));
}

TEST_P(LiveCgroupV2, ANodesGroupThatNobodyGaveMemoryIsGivenIt) {
  const std::string node = group_ + "/slice/node";
  ASSERT_TRUE(cgroups_->Create(node, {}));
  std::ofstream("/sys/fs/cgroup/" + group_ + "/slice/cgroup.subtree_control") << "-memory";
  ASSERT_EQ(cgroups_->ReadMemory(node).error().code, ErrorCode::kUnavailable);
  const auto opened = CgroupV2::Open({.node_cgroup = "/" + node});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE((*opened)->ReadMemory(""));
}

TEST_P(LiveCgroupV2, AGroupWithProcessesCannotHaveGroupsBelowAndSaysWhoTheyAre) {
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, group_);
  const auto made = cgroups_->Create(group_ + "/pod", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message, HasSubstr(std::to_string(child.pid()) + " ("));
}

TEST_P(LiveCgroupV2, AGroupThatHandsControllersDownTakesNoProcess) {
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod", {}));
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  const auto joined = JoinGroup(*cgroups_, group_, child.pid());
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace jettison
