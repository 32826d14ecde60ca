#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/join_group.h"

// What holds of control groups of either version, on the kernel at hand. One source of a test
// program includes this and instantiates LiveCgroups.

namespace jettison {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

inline constexpr std::uint64_t kMiB = 1 << 20;

// What is tested, and where its files are.
struct LiveCgroupsKind {
  struct Freezer {
    std::string mount;
    std::string file;
    std::string frozen;  // what is written into it
    std::string thawed;
  };

  std::string name;  // of the tests
  std::function<Result<std::unique_ptr<Cgroups>>(std::chrono::milliseconds remove_patience)> open;
  bool may_be_absent = false;  // the tests are then skipped, saying why
  std::string cpu_file;        // is there if the CPU is shared out by group
  Freezer freezer = {};
  bool counts_oom_kills_above = false;  // also in the groups above the one that it strikes
};

// A group of this test's own below the root, taken down with everything in it at the end.
class LiveCgroups : public testing::TestWithParam<LiveCgroupsKind> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    auto opened = GetParam().open(std::chrono::seconds(60));
    if (!opened && GetParam().may_be_absent) GTEST_SKIP() << opened.error().message;
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

  [[nodiscard]] static std::string FirstLineOf(const std::string& file) {
    std::ifstream stream(file);
    std::string text;
    std::getline(stream, text);
    return text;
  }
  void Move(const ChildProcess& child, const std::string& path) {
    const auto joined = JoinGroup(*cgroups_, path, child.pid());
    ASSERT_TRUE(joined) << joined.error().message;
  }

  const std::string group_ = "jettison-test-" + std::to_string(::getpid());
  std::unique_ptr<Cgroups> cgroups_;
};

inline std::string NameOfKind(const testing::TestParamInfo<LiveCgroupsKind>& tested) {
  return tested.param.name;
}

TEST_P(LiveCgroups, SharesAreKnownAgainAndAsChangedWhenSomebodyElseWasThere) {
  if (!std::filesystem::exists(GetParam().cpu_file)) GTEST_SKIP() << "no cpu controller";
  const std::string pod = group_ + "/pod";
  for (const std::uint64_t shares : {2U, 102U, 512U, 1024U, 262'144U}) {
    ASSERT_TRUE(cgroups_->Create(pod, {.cpu_shares = shares}));
    EXPECT_EQ(cgroups_->HasCpuShares(pod, shares), true) << shares;
    EXPECT_EQ(cgroups_->HasCpuShares(pod, 4096), false) << shares;
  }
  ASSERT_TRUE(cgroups_->Remove(pod));
  EXPECT_EQ(cgroups_->HasCpuShares(pod, 2).error().code, ErrorCode::kNotFound);
}

TEST_P(LiveCgroups, MemoryOfAGroupCountsThoseBelow) {
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

TEST_P(LiveCgroups, ASignalReachesEveryProcessBelow) {
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

TEST_P(LiveCgroups, ARemovalWaitsForTheKilledAndThenSaysWhoIsStillThere) {
  const auto impatient = GetParam().open(std::chrono::milliseconds(5));
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

TEST_P(LiveCgroups, ThePidsLimitOfAGroupIsRead) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.pids_max = 60}));
  EXPECT_EQ(*cgroups_->ReadPidsLimit(pod), std::optional<std::uint64_t>(60));
  ASSERT_TRUE(cgroups_->Create(pod, {.pids_max = 0}));
  EXPECT_EQ(*cgroups_->ReadPidsLimit(pod), std::optional<std::uint64_t>(0));
  ASSERT_TRUE(cgroups_->Create(pod, {.pids_max = -1}));
  EXPECT_EQ(*cgroups_->ReadPidsLimit(pod), std::optional<std::uint64_t>());
  ASSERT_TRUE(cgroups_->Remove(pod));
  EXPECT_EQ(cgroups_->ReadPidsLimit(pod).error().code, ErrorCode::kNotFound);
}

TEST_P(LiveCgroups, AKillOutrunsAForkBomb) {
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

TEST_P(LiveCgroups, AKillEndsFrozenProcessesInGroupsBelowTooAndThaws) {
  const std::string pod = group_ + "/pod/app";
  ASSERT_TRUE(cgroups_->Create(pod, {}));
  const auto& freezer = GetParam().freezer;
  const std::string file = freezer.mount + "/" + pod + "/" + freezer.file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no freezer";
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, pod);
  std::ofstream(file) << freezer.frozen;
  ASSERT_NE(FirstLineOf(file), freezer.thawed);
  ASSERT_TRUE(cgroups_->Kill(group_ + "/pod"));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(FirstLineOf(file), freezer.thawed);
}

TEST_P(LiveCgroups, AKillOfAContainerEndsWhatIsFrozenWithItsPodAndThawsNothingAbove) {
  const std::string pod = group_ + "/podu";
  const std::string container = pod + "/c";
  ASSERT_TRUE(cgroups_->Create(container, {}));
  const auto& freezer = GetParam().freezer;
  const auto file_of = [&](const std::string& group) {
    return freezer.mount + "/" + group + "/" + freezer.file;
  };
  if (!std::filesystem::exists(file_of(pod))) GTEST_SKIP() << "no freezer";
  ChildProcess child([](const auto& /*ready*/) { SleepForever(); });
  Move(child, container);
  std::ofstream(file_of(pod)) << freezer.frozen;
  ASSERT_NE(FirstLineOf(file_of(pod)), freezer.thawed);
  ASSERT_TRUE(cgroups_->Kill(container));
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(FirstLineOf(file_of(group_)), freezer.thawed);
}

TEST_P(LiveCgroups, AnOomKillIsCountedInItsGroup) {
  const std::string pod = group_ + "/pod";
  ASSERT_TRUE(cgroups_->Create(pod, {.memory_bytes = 8 * kMiB}));
  ChildProcess child([](const auto& /*ready*/) { TouchMemory(64 * kMiB); });
  Move(child, pod);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 0U);
  child.Start();
  EXPECT_EQ(WTERMSIG(child.Wait()), SIGKILL);
  EXPECT_EQ(*cgroups_->ReadOomKills(pod), 1U);
  if (GetParam().counts_oom_kills_above) {
    EXPECT_EQ(*cgroups_->ReadOomKills(group_), 1U);
  }
}

}  // namespace jettison
