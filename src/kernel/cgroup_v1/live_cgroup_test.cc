#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <thread>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/groups/fd_reserve.h"
#include "kernel/groups/few_descriptors.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_tree.h"
#include "ports/fakes/child_process.h"

// Counts allocations of this thread, for the rule that a steady-state reading makes none. Not
// inlined, or the compiler sees malloc paired with delete.
namespace {
thread_local std::size_t allocations = 0;
}  // namespace
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMiB = 1 << 20;

// A group of this test's own below the root, taken down with everything in it at the end.
class LiveCgroupV1 : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    auto opened = CgroupV1::Open({});
    if (!opened) GTEST_SKIP() << opened.error().message;
    cgroups_ = std::move(*opened);
    const auto made = cgroups_->Create(group_, {});
    ASSERT_TRUE(made) << made.error().message;
  }
  void TearDown() override {
    if (!cgroups_) return;
    (void)cgroups_->Kill(group_);
    const auto removed = cgroups_->Remove(group_);
    EXPECT_TRUE(removed) << removed.error().message;
  }

  // The text of one file of the group in the hierarchy usually mounted there.
  [[nodiscard]] static std::string FileOf(const std::string& controller, const std::string& path,
                                          const std::string& file) {
    std::ifstream stream("/sys/fs/cgroup/" + controller + "/" + path + "/" + file);
    std::string text;
    std::getline(stream, text);
    return text;
  }
  void Move(const ChildProcess& child, const std::string& path) {
    const auto joined = cgroups_->Join(path, child.pid());
    ASSERT_TRUE(joined) << joined.error().message;
  }

  const std::string group_ = "jettison-test-" + std::to_string(::getpid());
  std::unique_ptr<CgroupV1> cgroups_;
};

TEST_F(LiveCgroupV1, LimitsReachTheKernelAndLaterOnesReplaceThem) {
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

TEST_F(LiveCgroupV1, SharesAreKnownAgainAndAsChangedWhenSomebodyElseWasThere) {
  if (!cgroups_->Has(cgroup_v1::Controller::kCpu)) GTEST_SKIP() << "the host has no cpu controller";
  const std::string pod = group_ + "/pod";
  for (const std::uint64_t shares : {2U, 102U, 512U, 1024U, 262'144U}) {
    ASSERT_TRUE(cgroups_->Create(pod, {.cpu_shares = shares}));
    EXPECT_EQ(cgroups_->HasCpuShares(pod, shares), true) << shares;
    EXPECT_EQ(cgroups_->HasCpuShares(pod, 4096), false) << shares;
  }
  ASSERT_TRUE(cgroups_->Remove(pod));
  EXPECT_EQ(cgroups_->HasCpuShares(pod, 2).error().code, ErrorCode::kNotFound);
}

TEST_F(LiveCgroupV1, BandwidthCanGoFromOneValidPairToAnother) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(group_, {.cpu_quota_us = 50000, .cpu_period_us = 100000}));
  ASSERT_TRUE(cgroups_->Create(pod, {.cpu_quota_us = 50000, .cpu_period_us = 100000}));
  // A shorter period first would exceed the half CPU of the group above.
  const auto changed = cgroups_->Create(pod, {.cpu_quota_us = 5000, .cpu_period_us = 10000});
  EXPECT_TRUE(changed) << changed.error().message;
}

TEST_F(LiveCgroupV1, MemoryOfAGroupCountsThoseBelow) {
  const std::string pod = group_ + "/pod/app";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const auto& ready) {
    TouchMemory(32 * kMiB);
    ready();
    SleepForever();
  });
  Move(child, pod);
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  for (const std::string& path : {pod, group_}) {
    const auto memory = cgroups_->ReadMemory(path);
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_GE(memory->usage, 32 * kMiB);
    EXPECT_LE(memory->usage, 48 * kMiB);
    EXPECT_GE(memory->WorkingSet(), 32 * kMiB);
  }
  EXPECT_EQ(*cgroups_->ReadPids(group_), 1U);
  EXPECT_THAT(*cgroups_->Processes(group_), ElementsAre(child.pid()));
}

TEST_F(LiveCgroupV1, TheLimitInForceIsTheLowestOnTheWayUp) {
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(group_), std::nullopt);
  ASSERT_TRUE(cgroups_->Create(group_, {.memory_bytes = 64 * kMiB}));
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod", {.memory_bytes = 128 * kMiB}));
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(group_ + "/pod"), 64 * kMiB);
}

TEST_F(LiveCgroupV1, AGroupMadeAgainUnderItsNameIsReadAnew) {
  const std::string pod = group_ + "/pod";
  CgroupV1Options other_options;
  const auto other = CgroupV1::Open(other_options);  // removes behind the back of the first
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 64 * kMiB}));
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(pod), 64 * kMiB);
  ASSERT_TRUE((*other)->Remove(pod));
  EXPECT_EQ(cgroups_->ReadMemory(pod).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE((*other)->Create(pod, {.memory_bytes = 32 * kMiB}));
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(pod), 32 * kMiB);
  ASSERT_TRUE((*other)->Remove(pod));
  ASSERT_TRUE((*other)->Create(pod, {.memory_bytes = 16 * kMiB}));
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(pod), 16 * kMiB);
}

TEST_F(LiveCgroupV1, ASteadyStateReadingAllocatesNothing) {
  ASSERT_TRUE(cgroups_->ReadMemory(group_));
  ASSERT_TRUE(cgroups_->ReadMemory(""));
  const std::size_t before = allocations;
  bool all = true;
  for (int i = 0; i < 100; ++i) {
    all = all && cgroups_->ReadMemory(group_) && cgroups_->ReadMemory("") &&
          cgroups_->ReadMemoryLimit(group_);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(all);
}

TEST_F(LiveCgroupV1, RemovalTakesWhatARuntimeMadeInOtherHierarchies) {
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

TEST_F(LiveCgroupV1, TheRootCountsNoTasks) {
  const auto pids = cgroups_->ReadPids("");
  ASSERT_FALSE(pids);
  EXPECT_EQ(pids.error().code, ErrorCode::kUnavailable);
}

TEST_F(LiveCgroupV1, ASignalReachesEveryProcessBelow) {
  ASSERT_TRUE(cgroups_->Create(group_ + "/a", {}));
  ASSERT_TRUE(cgroups_->Create(group_ + "/b/c", {}));
  ChildProcess first([](const auto& /*ready*/) { SleepForever(); });
  ChildProcess second([](const auto& /*ready*/) { SleepForever(); });
  Move(first, group_ + "/a");
  Move(second, group_ + "/b/c");
  ASSERT_TRUE(cgroups_->Signal(group_, SIGTERM));
  EXPECT_EQ(WTERMSIG(first.Wait()), SIGTERM);
  EXPECT_EQ(WTERMSIG(second.Wait()), SIGTERM);
}

TEST_F(LiveCgroupV1, AKillEndsAProcessThatIgnoresSignalsAndWhatItForked) {
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod", {}));
  ChildProcess child([](const auto& ready) {
    ::signal(SIGTERM, SIG_IGN);
    if (::fork() == 0) SleepForever();
    ready();
    SleepForever();
  });
  Move(child, group_ + "/pod");
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  EXPECT_EQ(cgroups_->Processes(group_)->size(), 2U);
  ASSERT_TRUE(cgroups_->Kill(group_ + "/pod"));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_TRUE(cgroups_->Remove(group_ + "/pod"));
}

TEST_F(LiveCgroupV1, AKillEndsFrozenProcessesInGroupsBelowToo) {
  if (!cgroups_->Has(cgroup_v1::Controller::kFreezer)) GTEST_SKIP() << "no freezer";
  const std::string pod = group_ + "/pod/app";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, pod);
  std::ofstream("/sys/fs/cgroup/freezer/" + pod + "/freezer.state") << "FROZEN";
  ASSERT_NE(FileOf("freezer", pod, "freezer.state"), "THAWED");
  ASSERT_TRUE(cgroups_->Kill(group_ + "/pod"));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
}

TEST_F(LiveCgroupV1, AKillOutrunsAForkBomb) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.pids_max = 60}));
  ChildProcess child([](const auto& ready) {
    ::signal(SIGCHLD, SIG_IGN);
    ready();
    while (true) (void)::fork();
  });
  Move(child, pod);
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  while (cgroups_->Processes(pod)->size() < 40) std::this_thread::yield();
  const auto killed = cgroups_->Kill(pod);
  ASSERT_TRUE(killed) << killed.error().message;
  (void)child.Wait();
  const auto removed = cgroups_->Remove(pod);
  EXPECT_TRUE(removed) << removed.error().message;
}

TEST_F(LiveCgroupV1, APodThatNestsItsGroupsDeepIsReadKilledAndRemovedWithFewDescriptors) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  auto deepest = cgroups_->OpenMemoryDirectory(pod);
  ASSERT_TRUE(deepest);
  constexpr int kDepth = 300;
  for (int depth = 0; depth < kDepth; ++depth) {
    ASSERT_EQ(::mkdirat(deepest->get(), "n", 0755), 0) << depth;
    *deepest = FileDescriptor(::openat(deepest->get(), "n", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ChildProcess child([](const auto&) { SleepForever(); });
  ASSERT_TRUE(pod_host::WriteFile(deepest->get(), "cgroup.procs", std::to_string(child.pid())));
  deepest->Close();
  {
    const pod_host::FewDescriptors few(pod_host::kOpenGroups + 16);
    EXPECT_THAT(cgroups_->Processes(pod).value(), ElementsAre(child.pid()));
    EXPECT_TRUE(cgroups_->ReadMemory(pod));
    const auto killed = cgroups_->Kill(pod);
    ASSERT_TRUE(killed) << killed.error().message;
    EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
    const auto removed = cgroups_->Remove(pod);
    EXPECT_TRUE(removed) << removed.error().message;
  }
}

TEST_F(LiveCgroupV1, AKillNeedsNoDescriptorThatIsNotHeldInReserve) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod + "/a/b", {}));
  ChildProcess child([](const auto&) { SleepForever(); });
  Move(child, pod + "/a/b");
  ASSERT_EQ(pod_host::FdReserve::Fill(), pod_host::FdReserve::kSize);
  {
    pod_host::FewDescriptors few(4);
    few.TakeAll();
    EXPECT_FALSE(cgroups_->Processes(pod)) << "there is none for anybody else";
    const auto signalled = cgroups_->Signal(pod, SIGCONT);
    EXPECT_TRUE(signalled) << signalled.error().message;
    const auto killed = cgroups_->Kill(pod);
    EXPECT_TRUE(killed) << killed.error().message;
  }
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
}

TEST_F(LiveCgroupV1, ARemovalThatIsRefusedSaysWhoIsStillThere) {
  CgroupV1Options impatient;
  impatient.remove_patience = std::chrono::milliseconds(5);
  const auto cgroups = CgroupV1::Open(impatient);
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod/app", {}));
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, group_ + "/pod/app");
  const auto removed = (*cgroups)->Remove(group_ + "/pod");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(removed.error().message, HasSubstr(std::to_string(child.pid()) + " ("));
}

TEST_F(LiveCgroupV1, AnOomKillIsCountedInItsGroup) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 8 * kMiB}));
  ChildProcess child([](const auto& /*ready*/) { TouchMemory(64 * kMiB); });
  Move(child, pod);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 0U);
  child.Start();
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 1U);
}

}  // namespace
}  // namespace jettison
