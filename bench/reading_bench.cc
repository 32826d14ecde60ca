// The cost of the readings of one pass in real control groups of this kernel, of the version that
// the host has: memory, process ids and file systems of the node, and memory and process counts of
// every pod. The floor is a bare loop over the same files, which are open already, that reads them
// and ignores their content. Needs root.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/figures/stats_collector.h"
#include "bench/pod_groups.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/procfs/procfs.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

void BM_ReadPass(benchmark::State& bench) {
  const PodGroups node(static_cast<std::size_t>(bench.range(0)));
  auto procfs = Procfs::Open();
  if (!node.complete || !procfs) {
    bench.SkipWithError("no groups could be made; root is needed");
    return;
  }
  const FakeClock clock{Instant(std::chrono::hours(1))};
  const Log log(LogFormat::kText, clock, [](std::string_view) {});
  StatsCollector figures({.node = *node.groups,
                          .pods = *node.groups,
                          .procfs = *procfs,
                          .whole_machine = false,
                          .node_fs = "/"},
                         clock, log);
  std::vector<PodStats> stats;
  figures.ReadPods(node.pointers, nullptr, stats);  // the first opens the files
  for (auto _ : bench) {
    NodeStats all = figures.ReadNode();
    benchmark::DoNotOptimize(all);
    figures.ReadPods(node.pointers, nullptr, stats);
    benchmark::DoNotOptimize(stats.data());
  }
}
BENCHMARK(BM_ReadPass)->Arg(110)->Arg(1'000)->Unit(benchmark::kMicrosecond);

// The files of BM_ReadPass, each open.
class OpenFiles {
 public:
  explicit OpenFiles(const PodGroups& node) : groups_(*node.groups) {
    const auto version = MountedCgroups();
    is_v2_ = version && *version == CgroupVersion::kV2;
    if (const auto mounts = kernel::ReadMounts("/proc/self/mountinfo")) {
      const auto hierarchies = cgroup_v1::FindHierarchies(*mounts);
      pids_hierarchy_ = hierarchies[cgroup_v1::Controller::kPids].value_or("");
    }
    AddLimitedMemory({""});
    AddLimitedMemory({"", kernel::kPodsGroup});
    for (const char* file :
         {"meminfo", "loadavg", "sys/kernel/pid_max", "sys/kernel/threads-max"}) {
      Add(AT_FDCWD, std::string("/proc/") + file);
    }
    for (const PodFacts& facts : node.pods) {
      const std::string group = kernel::PodGroup(QosClass::kBestEffort, facts.pod.uid);
      AddMemory(group);
      AddTasks(group);
      AddMemory(group + "/c");
    }
  }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const std::vector<FileDescriptor>& fds() const { return fds_; }

 private:
  // Memory of the last group of a way down; v1 tells the limit in force with it.
  void AddLimitedMemory(const std::vector<std::string_view>& way) {
    AddMemory(way.back());
    if (!is_v2_) return;
    for (const std::string_view group : way) Add(MemoryDirectory(group).get(), "memory.max");
  }
  void AddMemory(std::string_view group) {
    const FileDescriptor directory = MemoryDirectory(group);
    Add(directory.get(), "memory.stat");
    Add(directory.get(), is_v2_ ? "memory.current" : "memory.usage_in_bytes");
    // Not there on a kernel that does not account swap.
    if (is_v2_ && faccessat(directory.get(), "memory.swap.current", R_OK, 0) == 0) {
      Add(directory.get(), "memory.swap.current");
    }
  }
  void AddTasks(const std::string& group) {
    if (is_v2_) return Add(MemoryDirectory(group).get(), "pids.current");
    Add(AT_FDCWD, fmt::format("{}/{}/{}/pids.current", pids_hierarchy_, kBenchNode, group));
  }
  [[nodiscard]] FileDescriptor MemoryDirectory(std::string_view group) const {
    return groups_.OpenMemoryDirectory(group).value_or(FileDescriptor());
  }
  void Add(int directory, const std::string& path) {
    fds_.emplace_back(openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC));
    complete_ = complete_ && fds_.back();
  }

  Cgroups& groups_;
  bool is_v2_ = false;
  std::string pids_hierarchy_;  // where v1 has it
  std::vector<FileDescriptor> fds_;
  bool complete_ = true;
};

void BM_BareReads(benchmark::State& bench) {
  const PodGroups node(static_cast<std::size_t>(bench.range(0)));
  if (!node.complete) {
    bench.SkipWithError("no groups could be made; root is needed");
    return;
  }
  const OpenFiles files(node);
  if (!files.complete()) {
    bench.SkipWithError("not every file could be opened");
    return;
  }
  std::vector<char> buffer(8192);
  struct statvfs status {};
  for (auto _ : bench) {
    for (const FileDescriptor& fd : files.fds()) {
      benchmark::DoNotOptimize(pread(fd.get(), buffer.data(), buffer.size(), 0));
    }
    benchmark::DoNotOptimize(statvfs("/", &status));
  }
}
BENCHMARK(BM_BareReads)->Arg(110)->Arg(1'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace jettison
