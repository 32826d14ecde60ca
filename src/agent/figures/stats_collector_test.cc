#include "agent/figures/stats_collector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

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

}  // namespace
}  // namespace jettison
