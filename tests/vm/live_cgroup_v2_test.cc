#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "kernel/cgroup_v2/cgroup_v2.h"
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

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

constexpr std::uint64_t kMiB = 1 << 20;

// A group of this test's own below the root, taken down with everything in it at the end. Killing
// is tried in both ways.
class LiveCgroupV2 : public testing::TestWithParam<cgroup_v2::KillBy> {
 protected:
  void SetUp() override {
    auto opened =
        CgroupV2::Open({.remove_patience = std::chrono::seconds(60), .kill_by = GetParam()});
    ASSERT_TRUE(opened) << opened.error().message;
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

  [[nodiscard]] static std::string FileOf(const std::string& path, const std::string& file) {
    std::ifstream stream("/sys/fs/cgroup/" + path + "/" + file);
    std::string text;
    std::getline(stream, text);
    return text;
  }
  void Move(const ChildProcess& child, const std::string& path) {
    const auto joined = cgroups_->Join(path, child.pid());
    ASSERT_TRUE(joined) << joined.error().message;
  }

  const std::string group_ = "jettison-test-" + std::to_string(::getpid());
  std::unique_ptr<CgroupV2> cgroups_;
};

INSTANTIATE_TEST_SUITE_P(By, LiveCgroupV2,
                         testing::Values(cgroup_v2::KillBy::kKillFile, cgroup_v2::KillBy::kSignals),
                         [](const auto& tested) {
                           return tested.param == cgroup_v2::KillBy::kKillFile ? "KillFile"
                                                                               : "Signals";
                         });

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

TEST_P(LiveCgroupV2, SharesAreKnownAgainAndAsChangedWhenSomebodyElseWasThere) {
  const std::string pod = group_ + "/pod";
  for (const std::uint64_t shares : {2U, 102U, 512U, 1024U, 262'144U}) {
    ASSERT_TRUE(cgroups_->Create(pod, {.cpu_shares = shares}));
    EXPECT_EQ(cgroups_->HasCpuShares(pod, shares), true) << shares;
    EXPECT_EQ(cgroups_->HasCpuShares(pod, 4096), false) << shares;
  }
  ASSERT_TRUE(cgroups_->Remove(pod));
  EXPECT_EQ(cgroups_->HasCpuShares(pod, 2).error().code, ErrorCode::kNotFound);
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

TEST_P(LiveCgroupV2, MemoryOfAGroupCountsThoseBelow) {
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
    EXPECT_THAT(memory->usage, AllOf(Ge(32 * kMiB), Le(48 * kMiB)));
    EXPECT_GE(memory->WorkingSet(), 32 * kMiB);
  }
  EXPECT_GE(cgroups_->ReadMemory("")->usage, 32 * kMiB);
  EXPECT_EQ(*cgroups_->ReadPids(group_), 1U);
  EXPECT_THAT(*cgroups_->Processes(group_), ElementsAre(child.pid()));
}

TEST_P(LiveCgroupV2, AGroupMadeAgainUnderItsNameIsReadAnew) {
  const std::string pod = group_ + "/pod";
  const auto other = CgroupV2::Open({});  // removes behind the back of the first
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 64 * kMiB}));
  ASSERT_TRUE(cgroups_->ReadMemory(pod));
  ASSERT_TRUE(cgroups_->ReadPids(pod));
  EXPECT_EQ(*cgroups_->ReadMemoryLimit(pod), 64 * kMiB);
  ASSERT_TRUE((*other)->Remove(pod));
  EXPECT_EQ(cgroups_->ReadMemory(pod).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups_->ReadPids(pod).error().code, ErrorCode::kNotFound);
  for (const std::uint64_t limit : {32 * kMiB, 16 * kMiB}) {
    ASSERT_TRUE((*other)->Create(pod, {.memory_bytes = limit}));
    EXPECT_EQ(*cgroups_->ReadMemoryLimit(pod), limit);
    EXPECT_TRUE(cgroups_->ReadMemory(pod));
    EXPECT_TRUE(cgroups_->ReadPids(pod));
    ASSERT_TRUE((*other)->Remove(pod));
  }
}

TEST_P(LiveCgroupV2, ASteadyStateReadingAllocatesNothing) {
  const auto read_all = [&] {
    return cgroups_->ReadMemory(group_) && cgroups_->ReadMemory("") && cgroups_->ReadPids(group_) &&
           cgroups_->ReadMemoryLimit(group_);
  };
  ASSERT_TRUE(read_all());
  const std::size_t before = allocations;
  bool all = true;
  for (int i = 0; i < 100; ++i) all = all && read_all();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(all);
}

TEST_P(LiveCgroupV2, TheRootCountsNoTasks) {
  EXPECT_EQ(cgroups_->ReadPids("").error().code, ErrorCode::kUnavailable);
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
  const auto joined = cgroups_->Join(group_, child.pid());
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnavailable);
}

TEST_P(LiveCgroupV2, ASignalReachesEveryProcessBelow) {
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

TEST_P(LiveCgroupV2, AKillEndsAProcessThatIgnoresSignalsAndWhatItForked) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const auto& ready) {
    ::signal(SIGTERM, SIG_IGN);
    if (::fork() == 0) SleepForever();
    ready();
    SleepForever();
  });
  Move(child, pod);
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  EXPECT_EQ(cgroups_->Processes(group_)->size(), 2U);
  ASSERT_TRUE(cgroups_->Kill(pod));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_TRUE(cgroups_->Remove(pod));
}

TEST_P(LiveCgroupV2, AKillEndsFrozenProcessesAndThaws) {
  const std::string pod = group_ + "/pod/app";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, pod);
  std::ofstream("/sys/fs/cgroup/" + pod + "/cgroup.freeze") << "1";
  ASSERT_EQ(FileOf(pod, "cgroup.freeze"), "1");
  ASSERT_TRUE(cgroups_->Kill(group_ + "/pod"));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(FileOf(pod, "cgroup.freeze"), "0");
}

TEST_P(LiveCgroupV2, AKillOutrunsAForkBomb) {
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
}

TEST_P(LiveCgroupV2, ARemovalWaitsForTheKilledAndThenSaysWhoIsStillThere) {
  const auto impatient =
      CgroupV2::Open({.remove_patience = std::chrono::milliseconds(5), .kill_by = GetParam()});
  ASSERT_TRUE(cgroups_->Create(group_ + "/pod/app", {}));
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, group_ + "/pod/app");
  const auto removed = (*impatient)->Remove(group_ + "/pod");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(removed.error().message, HasSubstr(std::to_string(child.pid()) + " ("));
  ASSERT_TRUE(cgroups_->Kill(group_ + "/pod"));
  EXPECT_TRUE(cgroups_->Remove(group_ + "/pod"));
}

TEST_P(LiveCgroupV2, AnOomKillIsCountedInItsGroupAndAbove) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 8 * kMiB}));
  ChildProcess child([](const auto& /*ready*/) { TouchMemory(64 * kMiB); });
  Move(child, pod);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 0U);
  child.Start();
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 1U);
  EXPECT_EQ(*cgroups_->ReadOomKills(group_), 1U);
}

}  // namespace
}  // namespace jettison
