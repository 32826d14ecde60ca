#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/figures/stats_collector.h"
#include "core/observe/observations.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr std::uint64_t kMebi = 1 << 20;

// A proc of a machine of 464 MiB.
struct ProcOfMachine {
  ProcOfMachine() {
    std::filesystem::create_directories(root / "sys/kernel");
    Write("loadavg", "0.00 0.00 0.00 1/88 4929\n");
    Write("sys/kernel/pid_max", "32768\n");
    Write("sys/kernel/threads-max", "1000\n");
    WriteListed(0);
    WriteMemory(464, 420);
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
  }
  void WriteMemory(std::uint64_t total_mi, std::uint64_t available_mi) const {
    Write("meminfo", fmt::format("MemTotal: {} kB\nMemFree: 9000 kB\nMemAvailable: {} kB\n",
                                 total_mi * 1024, available_mi * 1024));
  }
  void WriteListed(std::uint64_t mi) const {
    Write("zoneinfo",
          fmt::format("    cpu: 0\n              count:    {}\n",
                      mi * kMebi / static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))));
  }
  const kernel::TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
};

// Its groups are charged with 120 MiB, 40 of which can be dropped at once.
class NodeMemory : public testing::Test {
 protected:
  NodeMemory() {
    EXPECT_TRUE(groups_.Create("kubepods", {}));
    groups_.SetMemory("", {.usage = 120 * kMebi, .inactive_file = 40 * kMebi});
  }
  [[nodiscard]] FigureSources Sources() {
    return {.node = groups_, .pods = groups_, .procfs = procfs_, .node_fs = "/"};
  }
  [[nodiscard]] static std::optional<std::uint64_t> AvailableMi(StatsCollector& collector) {
    const auto seen = ObservationsFrom(collector.ReadNode())[Signal::kMemoryAvailable];
    collector.AfterFullPass();
    if (!seen) return std::nullopt;
    return static_cast<std::uint64_t>(seen->available) / kMebi;
  }

  const ProcOfMachine proc_;
  const Procfs procfs_ = Procfs::Open(proc_.root).value();
  FakeCgroups groups_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  StatsCollector collector_{Sources(), clock_, log_};
};

TEST_F(NodeMemory, IsByUsageWhereTheKernelHasMoreAvailable) {
  const NodeStats stats = collector_.ReadNode();
  EXPECT_EQ(stats.memory->available_bytes, 384 * kMebi);
  EXPECT_EQ(stats.memory->working_set_bytes, 80 * kMebi);
  EXPECT_EQ(stats.memory->usage_bytes, 120 * kMebi);
}

TEST_F(NodeMemory, IsWhatTheKernelHasAvailableWhereThatIsLess) {
  proc_.WriteMemory(464, 4);
  const NodeStats stats = collector_.ReadNode();
  EXPECT_EQ(stats.memory->available_bytes, 4 * kMebi);
  EXPECT_EQ(stats.memory->working_set_bytes, 460 * kMebi) << "the capacity stays";
  EXPECT_EQ(stats.memory->usage_bytes, 500 * kMebi) << "40 of it can be dropped";
  EXPECT_EQ(stats.memory->kernel_bytes, 380 * kMebi);
}

// They take hundreds of MiB on a large machine, and come back by themselves.
TEST_F(NodeMemory, PagesInTheListsOfTheProcessorsAreAvailable) {
  proc_.WriteMemory(464, 350);
  proc_.WriteListed(20);
  EXPECT_EQ(AvailableMi(collector_), 370U);
  proc_.WriteListed(60);
  EXPECT_EQ(AvailableMi(collector_), 384U) << "never more than by usage";
}

TEST_F(NodeMemory, WhatTheKernelHoldsOfAMachineSaysNothingOfANodeThatIsAGroup) {
  groups_.SetMemoryLimit("", 400 * kMebi);
  proc_.WriteMemory(464, 4);
  FigureSources sources = Sources();
  sources.whole_machine = false;
  StatsCollector collector(sources, clock_, log_);
  EXPECT_EQ(AvailableMi(collector), 320U);
}

TEST_F(NodeMemory, AnAvailableAmountThatNoKernelWritesIsLeftOutAndSaid) {
  proc_.WriteMemory(464, 465);
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(AvailableMi(collector_), 384U);
  proc_.Write("meminfo", "MemTotal: 475136 kB\nMemFree: 400000 kB\nMemAvailable: 0 kB\n");
  EXPECT_EQ(AvailableMi(collector_), 384U);
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_, Contains(HasSubstr("MemAvailable cannot be")));
}

TEST_F(NodeMemory, AMachineWithoutMemoryIsUnknownAndNeverFull) {
  proc_.Write("meminfo", "MemTotal: 0 kB\nMemFree: 0 kB\nMemAvailable: 0 kB\n");
  EXPECT_EQ(AvailableMi(collector_), std::nullopt);
  EXPECT_FALSE(collector_.ReadMemoryCapacity());
  EXPECT_THAT(lines_, Contains(HasSubstr("MemTotal is 0")));
}

// The machine's files are those of its host, and only the groups are the container's.
TEST_F(NodeMemory, InAContainerItIsWhatTheLimitOfItsRootLeaves) {
  proc_.WriteMemory(23500, 4);
  groups_.SetMemoryLimit("", 256 * kMebi);
  groups_.SetMemory("", {.usage = 120 * kMebi, .inactive_file = 40 * kMebi, .swap = kMebi});
  const NodeStats stats = collector_.ReadNode();
  EXPECT_EQ(stats.memory->available_bytes, 176 * kMebi) << "as with nodeCgroup";
  EXPECT_EQ(stats.memory->working_set_bytes, 80 * kMebi);
  EXPECT_EQ(stats.swap->usage_bytes, kMebi);
  EXPECT_EQ(collector_.ReadMemoryCapacity(), 256 * kMebi);
  groups_.SetMemoryLimit("", 24000 * kMebi);
  EXPECT_EQ(collector_.ReadMemoryCapacity(), 23500 * kMebi) << "the machine has no more";
  EXPECT_EQ(AvailableMi(collector_), 4U);
}

// More is in use than the pods are to have, so the kernel did not take the lower limit.
TEST_F(NodeMemory, OfAllPodsIsByTheLimitThatIsWantedWhereItCannotBeSet) {
  FigureSources sources = Sources();
  sources.reserved_from_pods = 164 * kMebi;
  StatsCollector collector(sources, clock_, log_);
  groups_.SetMemoryLimit("kubepods", 464 * kMebi);
  groups_.SetMemory("kubepods", {.usage = 280 * kMebi, .inactive_file = 0});
  EXPECT_EQ(collector.ReadNode().pods_memory->available_bytes, 20 * kMebi);
  groups_.SetMemory("kubepods", {.usage = 310 * kMebi, .inactive_file = 0});
  EXPECT_EQ(collector.ReadNode().pods_memory->available_bytes, 0U);
  groups_.SetMemoryLimit("kubepods", 250 * kMebi);
  groups_.SetMemory("kubepods", {.usage = 240 * kMebi, .inactive_file = 0});
  EXPECT_EQ(collector.ReadNode().pods_memory->available_bytes, 10 * kMebi) << "the lower one";
  groups_.SetMemoryLimit("kubepods", std::nullopt);
  proc_.WriteMemory(444, 420);
  EXPECT_EQ(collector.ReadNode().pods_memory->available_bytes, 40 * kMebi) << "of the machine now";
}

TEST_F(NodeMemory, AMachineThatIsUnknownLeavesTheLimitOfItsRoot) {
  proc_.Write("meminfo", "MemTotal: 0 kB\n");
  groups_.SetMemoryLimit("", 256 * kMebi);
  EXPECT_EQ(AvailableMi(collector_), 176U);
  EXPECT_EQ(collector_.ReadMemoryCapacity(), 256 * kMebi);
}

TEST_F(NodeMemory, ProcessIdsAreTheFewerOfTheMachineAndItsRoot) {
  groups_.SetPids("", 30);
  EXPECT_TRUE(groups_.Create("", {.pids_max = 100}));
  EXPECT_EQ(collector_.ReadNode().rlimit->max_pid, 100);
  EXPECT_EQ(collector_.ReadNode().rlimit->running, 30);
  EXPECT_TRUE(groups_.Create("", {.pids_max = 5000}));
  EXPECT_EQ(collector_.ReadNode().rlimit->max_pid, 1000);
  EXPECT_EQ(collector_.ReadNode().rlimit->running, 88);
}

}  // namespace
}  // namespace jettison
