#include "agent/figures/stats_collector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/model/pressure.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMi = 1 << 20;

class StatsCollectorTest : public testing::Test {
 protected:
  StatsCollectorTest() {
    for (const char* group :
         {"kubepods", "kubepods/besteffort/podu", "kubepods/besteffort/podu/c"}) {
      EXPECT_TRUE(groups_.Create(group, {}));
    }
    groups_.SetMemoryLimit("", 512 * kMi);
    groups_.SetMemoryLimit("kubepods", 400 * kMi);
    groups_.SetMemory("kubepods/besteffort/podu/c", {.usage = 60 * kMi, .inactive_file = 10 * kMi});
    groups_.SetPids("kubepods/besteffort/podu/c", 7);
    groups_.SetMemory("", {.usage = 40 * kMi, .inactive_file = 0});
    Pod pod;
    pod.name = "web";
    pod.uid = "u";
    pod.containers.emplace_back().name = "c";
    facts_ = FactsOf(pod, Profile::kStandalone);
  }
  std::vector<PodStats> ReadPods(const DiskUse* disk) {
    std::vector<PodStats> stats;
    const std::vector<const PodFacts*> pods = {&facts_};
    collector_.ReadPods(pods, disk, stats);
    return stats;
  }

  FakeCgroups groups_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  Procfs procfs_ = Procfs::Open().value();
  PodFacts facts_;
  StatsCollector collector_{
      {.node = groups_, .pods = groups_, .procfs = procfs_, .whole_machine = false, .node_fs = "/"},
      clock_,
      log_};
};

class ForgettingCgroups : public FakeCgroups {
 public:
  void Forget(std::string_view group) override { forgotten.emplace_back(group); }
  std::vector<std::string> forgotten;
};

// While one of many pods is killed again and again, nothing of the others is opened anew.
TEST_F(StatsCollectorTest, ReadingSomePodsForgetsNoOther) {
  ForgettingCgroups groups;
  StatsCollector collector(
      {.node = groups, .pods = groups, .procfs = procfs_, .whole_machine = false, .node_fs = "/"},
      clock_, log_);
  std::vector<PodFacts> facts(40, facts_);
  std::vector<const PodFacts*> pods;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    facts[i].pod.uid = fmt::format("u{}", i);
    pods.push_back(&facts[i]);
  }
  std::vector<PodStats> stats;
  collector.ReadPods(pods, nullptr, stats);
  const std::span<const PodFacts* const> first(pods.data(), 1);
  collector.ReadPods(first, nullptr, stats);
  collector.ReadPods(first, nullptr, stats);
  EXPECT_THAT(groups.forgotten, testing::IsEmpty());
  collector.ForgetOthers(first);
  EXPECT_THAT(groups.forgotten, testing::Contains("kubepods/besteffort/podu39/c"));
  EXPECT_THAT(groups.forgotten, testing::Not(testing::Contains("kubepods/besteffort/podu0")));
}

TEST_F(StatsCollectorTest, ActiveFilePagesCountAsAvailableWhereThatIsWanted) {
  groups_.SetMemory("", {.usage = 40 * kMi, .inactive_file = 0, .active_file = 30 * kMi});
  StatsCollector generous({.node = groups_,
                           .pods = groups_,
                           .procfs = procfs_,
                           .whole_machine = false,
                           .memory_estimator = MemoryEstimator::kAvailable,
                           .node_fs = "/"},
                          clock_, log_);
  EXPECT_EQ(generous.ReadNode().memory->available_bytes, 452 * kMi);
  EXPECT_EQ(collector_.ReadNode().memory->available_bytes, 422 * kMi);
  const std::vector<const PodFacts*> pods = {&facts_};
  std::vector<PodStats> stats;
  generous.ReadPods(pods, nullptr, stats);
  EXPECT_EQ(stats[0].memory_working_set_bytes, 50 * kMi) << "the ranking of pods does not change";
}

TEST_F(StatsCollectorTest, SwapOfNodeAndPodsIsTheirOwnAndUnknownWhereItIsNotAccounted) {
  EXPECT_EQ(collector_.ReadNode().swap->usage_bytes, std::nullopt);
  EXPECT_EQ(ReadPods(nullptr).at(0).swap_bytes, std::nullopt);
  groups_.SetMemory("", {.swap = 5 * kMi});
  groups_.SetMemory("kubepods/besteffort/podu", {.swap = 3 * kMi});
  EXPECT_EQ(collector_.ReadNode().swap->usage_bytes, 8 * kMi);
  EXPECT_EQ(ReadPods(nullptr).at(0).swap_bytes, 3 * kMi);
}

TEST_F(StatsCollectorTest, FileSystemsOfTheirOwnAreReadByTheirPaths) {
  collector_.SetDisks("/proc", "/proc");  // counts nothing: told apart from any other
  const NodeStats stats = collector_.ReadNode();
  EXPECT_NE(stats.fs->capacity_bytes, stats.image_fs->capacity_bytes);
  EXPECT_EQ(stats.image_fs->capacity_bytes, stats.container_fs->capacity_bytes);
  collector_.SetDisks("/proc", "");
  EXPECT_EQ(collector_.ReadNode().container_fs->capacity_bytes, stats.fs->capacity_bytes);
}

TEST_F(StatsCollectorTest, AFileSystemThatIsNotThereIsUnknownAndTheOthersAreNot) {
  collector_.SetDisks("/nonexistent", "");
  const NodeStats stats = collector_.ReadNode();
  EXPECT_TRUE(stats.fs);
  EXPECT_FALSE(stats.image_fs);
  EXPECT_TRUE(stats.container_fs);
  EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(StatsCollectorTest, PodsHaveMemoryAndTasksButNoDiskUseUnlessItIsGiven) {
  const PodStats pod = ReadPods(nullptr).at(0);
  EXPECT_EQ(pod.memory_working_set_bytes, 50 * kMi);
  EXPECT_EQ(pod.process_count, 7U);
  EXPECT_EQ(pod.containers.at(0).memory_working_set_bytes, 50 * kMi);
  EXPECT_EQ(pod.ephemeral_storage, std::nullopt);
  EXPECT_EQ(pod.containers.at(0).rootfs, std::nullopt);
}

TEST_F(StatsCollectorTest, DiskUseIsJoinedByPodAndContainer) {
  DiskUse disk;
  disk["u"].total = {.used_bytes = 5, .inodes_used = 2};
  disk["u"].containers.push_back(
      {.name = "c", .rootfs = {.used_bytes = 3, .inodes_used = 1}, .logs = {.used_bytes = 2}});
  const PodStats pod = ReadPods(&disk).at(0);
  EXPECT_EQ(pod.ephemeral_storage->used_bytes, 5U);
  EXPECT_EQ(pod.containers.at(0).rootfs->used_bytes, 3U);
  EXPECT_EQ(pod.containers.at(0).logs->used_bytes, 2U);
}

// A runtime with a foreign pod, which runs two containers side by side.
class RuntimeOfOthers : public FakeRuntime {
 public:
  [[nodiscard]] std::string_view GroupOf(const std::string&,
                                         const std::string& container) const override {
    return containers_run && container == "c" ? "others/c" : "";
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return groups;
  }

  std::vector<std::string> groups = {"others/c", "others/d"};
  bool containers_run = true;
};

TEST_F(StatsCollectorTest, APodOfSomebodyElseIsReadWhereItLies) {
  for (const char* group : {"others/c", "others/d"}) EXPECT_TRUE(groups_.Create(group, {}));
  groups_.SetMemory("others/c", {.usage = 20 * kMi, .inactive_file = 5 * kMi});
  groups_.SetMemory("others/d", {.usage = 3 * kMi, .inactive_file = 0});
  groups_.SetPids("others/c", 2);
  groups_.SetPids("others/d", 3);
  RuntimeOfOthers runtime;
  StatsCollector collector({.node = groups_,
                            .pods = groups_,
                            .procfs = procfs_,
                            .whole_machine = false,
                            .node_fs = "/",
                            .runtime = &runtime},
                           clock_, log_);
  const std::vector<const PodFacts*> pods = {&facts_};
  std::vector<PodStats> stats;
  collector.ReadPods(pods, nullptr, stats);
  EXPECT_TRUE(stats[0].has_memory);
  EXPECT_EQ(stats[0].memory_working_set_bytes, 18 * kMi);
  EXPECT_EQ(stats[0].process_count, 5U);
  EXPECT_EQ(stats[0].containers[0].memory_working_set_bytes, 15 * kMi);
  runtime.containers_run = false;
  EXPECT_TRUE(groups_.Remove("others/c"));
  collector.ReadPods(pods, nullptr, stats);
  EXPECT_EQ(stats[0].memory_working_set_bytes, 3 * kMi) << "the group that is left";
  EXPECT_EQ(stats[0].containers[0].memory_working_set_bytes, std::nullopt);
  runtime.groups.clear();
  collector.ReadPods(pods, nullptr, stats);
  EXPECT_EQ(stats[0].memory_working_set_bytes, 50 * kMi)
      << "the layout of a different pod with that UID";
}

class NamingRuntime : public FakeRuntime {
 public:
  [[nodiscard]] std::string_view GroupOf(const std::string&, const std::string&) const override {
    return container;
  }
  std::string container = "first";
};

TEST_F(StatsCollectorTest, AContainerThatIsStartedAgainLeavesNothingOpen) {
  ForgettingCgroups groups;
  NamingRuntime runtime;
  StatsCollector collector({.node = groups,
                            .pods = groups,
                            .procfs = procfs_,
                            .whole_machine = false,
                            .node_fs = "/",
                            .runtime = &runtime},
                           clock_, log_);
  EXPECT_EQ(collector.GroupsOf(facts_), std::vector<std::string>{"kubepods/besteffort/podu"});
  EXPECT_THAT(groups.forgotten, testing::IsEmpty());
  runtime.container = "second";
  (void)collector.GroupsOf(facts_);
  EXPECT_THAT(groups.forgotten,
              testing::ElementsAre("kubepods/besteffort/podu", "kubepods/besteffort/podu/first"));
}

// Groups with plain files as pressure files; counts how often a directory is opened.
class GroupsWithPressure : public FakeCgroups {
 public:
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    ++opened;
    const std::string folder = root.path() + "/" + std::string(path);
    FileDescriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return FailErrno("open " + folder);
    return directory;
  }
  void SetPressure(const std::string& file, const char* avg10) const {
    const std::filesystem::path path = root.path() + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "some avg10=" << avg10 << " avg60=1.00 avg300=0.00 total=0\n"
                        << "full avg10=0.00 avg60=2.00 avg300=0.00 total=0\n";
  }

  mutable int opened = 0;
  kernel::TemporaryFolder root;
};

class StatsPressure : public testing::Test {
 protected:
  StatsPressure() {
    EXPECT_TRUE(groups_.Create("kubepods/besteffort/podu/c", {}));
    groups_.SetPressure("memory.pressure", "3.00");
    groups_.SetPressure("io.pressure", "30.00");
    groups_.SetPressure("kubepods/besteffort/podu/io.pressure", "12.34");
    Pod pod;
    pod.uid = "u";
    pod.containers.emplace_back().name = "c";
    facts_ = FactsOf(pod, Profile::kStandalone);
  }
  StatsCollector CollectorFor(std::vector<Threshold> thresholds) {
    return {{.node = groups_,
             .pods = groups_,
             .procfs = procfs_,
             .whole_machine = false,
             .node_fs = "/",
             .thresholds = std::move(thresholds)},
            clock_,
            log_};
  }
  PodStats ReadPod(StatsCollector& collector) const {
    std::vector<PodStats> stats;
    collector.ReadPods(std::vector<const PodFacts*>{&facts_}, nullptr, stats);
    return stats.at(0);
  }

  GroupsWithPressure groups_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  Procfs procfs_ = Procfs::Open().value();
  PodFacts facts_;
};

Threshold Above(Signal signal, std::int32_t share) {
  return {.signal = signal, .value = LeftOf(share)};
}

TEST_F(StatsPressure, IsNotLookedAtUnlessAThresholdAsksForIt) {
  StatsCollector collector =
      CollectorFor({{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(1)}});
  const NodeStats stats = collector.ReadNode();
  EXPECT_FALSE(stats.memory_pressure || stats.io_pressure);
  EXPECT_FALSE(ReadPod(collector).io_some_avg10);
  EXPECT_EQ(groups_.opened, 0);
}

TEST_F(StatsPressure, OfTheResourceThatAThresholdAsksForIsRead) {
  StatsCollector collector = CollectorFor({Above(Signal::kMemoryPressureFullAvg60, 5000)});
  for (const std::int32_t share : {300, 400}) {
    const NodeStats stats = collector.ReadNode();
    ASSERT_TRUE(stats.memory_pressure);
    EXPECT_EQ(stats.memory_pressure->some.avg10, share);
    EXPECT_EQ(stats.memory_pressure->full.avg60, 200);
    EXPECT_EQ(stats.memory_pressure->time, clock_.Now());
    EXPECT_FALSE(stats.io_pressure);
    groups_.SetPressure("memory.pressure", "4.00");
  }
  EXPECT_EQ(groups_.opened, 1) << "the file stays open";
}

TEST_F(StatsPressure, PodsHaveTheirOwnOnlyWhileAThresholdOnIoIsMet) {
  StatsCollector collector = CollectorFor(
      {Above(Signal::kIoPressureSomeAvg10, 2500), Above(Signal::kMemoryPressureSomeAvg10, 100)});
  EXPECT_TRUE(collector.ReadNode().io_pressure);
  EXPECT_EQ(ReadPod(collector).io_some_avg10, 1234);
  groups_.SetPressure("io.pressure", "25.00");
  (void)collector.ReadNode();
  EXPECT_FALSE(ReadPod(collector).io_some_avg10) << "25% is not above 25%";
}

TEST_F(StatsPressure, AKernelWithoutItIsSaidOnceAndUnknown) {
  std::filesystem::remove(groups_.root.path() + "/memory.pressure");
  StatsCollector collector = CollectorFor({Above(Signal::kMemoryPressureFullAvg10, 2500)});
  EXPECT_FALSE(collector.ReadNode().memory_pressure);
  EXPECT_FALSE(collector.ReadNode().memory_pressure);
  EXPECT_EQ(std::ranges::count_if(lines_,
                                  [](const std::string& line) {
                                    return line.find("memory.pressure") != std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace jettison
