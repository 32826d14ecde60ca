// Reading what a pass looks at allocates nothing in the steady state, in real control groups of
// this kernel: counted by replacing operator new.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "agent/host_cgroups.h"
#include "agent/stats_collector.h"
#include "pod_host/cgroup_layout.h"
#include "ports/fakes/fake_clock.h"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace jettison {
namespace {

// A node with three pods of two containers, below a group of this test's own.
class LiveReading : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    const auto host = OpenHostCgroups({});
    ASSERT_TRUE(host) << host.error().message;
    ASSERT_TRUE((*host)->Create(node_, {.memory_bytes = std::uint64_t{1} << 30}));
    auto opened = OpenHostCgroups({.node_cgroup = node_});
    ASSERT_TRUE(opened) << opened.error().message;
    groups_ = std::move(*opened);
    for (const char* uid : {"00000000-0000-0000-0000-00000000000a", "b", "c"}) AddPod(uid);
    for (const PodFacts& facts : pods_) pointers_.push_back(&facts);
  }
  void TearDown() override {
    if (!groups_) return;
    EXPECT_TRUE(groups_->Remove(std::string(pod_host::kPodsGroup)));
    groups_.reset();
    const auto host = OpenHostCgroups({});
    EXPECT_TRUE(host && (*host)->Remove(node_));
  }
  void AddPod(const std::string& uid) {
    Pod pod;
    pod.uid = uid;
    pod.name = "a-pod-with-a-long-name-" + uid;
    for (const char* name : {"first", "a-container-with-a-long-name"}) {
      pod.containers.emplace_back().name = name;
      const std::string group = pod_host::PodGroup(QosClass::kBestEffort, uid);
      ASSERT_TRUE(groups_->Create(pod_host::ContainerGroup(group, name), {}));
    }
    pods_.push_back(FactsOf(std::move(pod), Profile::kStandalone));
  }

  const std::string node_ = "jettison-reading-" + std::to_string(::getpid());
  std::unique_ptr<Cgroups> groups_;
  std::vector<PodFacts> pods_;
  std::vector<const PodFacts*> pointers_;
};

TEST_F(LiveReading, APassReadsWithoutAllocatingWhatItHasReadBefore) {
  auto procfs = Procfs::Open();
  ASSERT_TRUE(procfs);
  const FakeClock clock{Instant(std::chrono::hours(1))};
  const Log log(LogFormat::kText, clock, [](std::string_view line) { ADD_FAILURE() << line; });
  StatsCollector figures({.node = *groups_,
                          .pods = *groups_,
                          .procfs = *procfs,
                          .whole_machine = false,
                          .node_fs = "/"},
                         clock, log);
  DiskUse disk;
  disk[pods_[0].pod.uid].volumes = {{.name = "a-volume-with-a-long-name", .usage = {}}};
  std::vector<PodStats> stats;
  std::size_t in_last_pass = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const std::size_t before = allocations;
    const NodeStats node = figures.ReadNode();
    figures.ReadPods(pointers_, &disk, stats);
    in_last_pass = allocations - before;
    ASSERT_TRUE(node.memory && node.pods_memory && node.fs && node.rlimit);
    ASSERT_TRUE(stats[2].containers.at(1).memory_working_set_bytes);
  }
  EXPECT_EQ(in_last_pass, 0U);
}

}  // namespace
}  // namespace jettison
