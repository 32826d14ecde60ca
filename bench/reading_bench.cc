// What reading one pass costs: memory, process ids and file systems of the node, memory and process
// counts of every pod, in real control groups of this kernel. The floor beside it is a bare loop
// over the same files, open already, that reads them and looks at nothing. Wants root.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/stats_collector.h"
#include "platform/cgroup_v1/cgroup_v1.h"
#include "platform/procfs/procfs.h"
#include "pod_host/cgroup_layout.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

constexpr const char* kNode = "jettison-reading-bench";

// A node with so many best-effort pods of one container, whose groups are empty.
class PodGroups {
 public:
  explicit PodGroups(std::size_t count) {
    const auto root = CgroupV1::Open({});
    if (!root || !(*root)->Create(kNode, {.memory_bytes = std::uint64_t{1} << 30})) return;
    auto opened = CgroupV1::Open({.node_cgroup = kNode});
    if (!opened) return;
    groups = std::move(*opened);
    for (std::size_t i = 0; i < count; ++i) {
      Pod pod;
      pod.name = pod.uid = fmt::format("{:08}-0000-0000-0000-000000000000", i);
      pod.containers.emplace_back().name = "c";
      const std::string group = pod_host::PodGroup(QosClass::kBestEffort, pod.uid);
      if (!groups->Create(pod_host::ContainerGroup(group, "c"), {})) return;
      pods.push_back(FactsOf(std::move(pod), Profile::kStandalone));
    }
    for (const PodFacts& facts : pods) pointers.push_back(&facts);
    complete = true;
  }
  ~PodGroups() {
    if (groups) (void)groups->Remove(std::string(pod_host::kPodsGroup));
    groups.reset();
    if (const auto root = CgroupV1::Open({})) (void)(*root)->Remove(kNode);
  }
  PodGroups(const PodGroups&) = delete;
  PodGroups& operator=(const PodGroups&) = delete;

  bool complete = false;
  std::unique_ptr<CgroupV1> groups;
  std::vector<PodFacts> pods;
  std::vector<const PodFacts*> pointers;
};

void BM_ReadPass(benchmark::State& bench) {
  const PodGroups node(static_cast<std::size_t>(bench.range(0)));
  auto procfs = Procfs::Open();
  if (!node.complete || !procfs) {
    bench.SkipWithError("no groups could be made; root and cgroup v1 are needed");
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
  explicit OpenFiles(const PodGroups& node) {
    const std::string memory = "/sys/fs/cgroup/memory/" + std::string(kNode);
    AddMemory(memory);
    AddMemory(memory + "/kubepods");
    for (const char* file :
         {"meminfo", "loadavg", "sys/kernel/pid_max", "sys/kernel/threads-max"}) {
      Add(std::string("/proc/") + file);
    }
    for (const PodFacts& facts : node.pods) {
      const std::string group = pod_host::PodGroup(QosClass::kBestEffort, facts.pod.uid);
      AddMemory(memory + '/' + group);
      AddMemory(memory + '/' + group + "/c");
      Add("/sys/fs/cgroup/pids/" + std::string(kNode) + '/' + group + "/pids.current");
    }
  }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const std::vector<FileDescriptor>& fds() const { return fds_; }

 private:
  void AddMemory(const std::string& group) {
    Add(group + "/memory.usage_in_bytes");
    Add(group + "/memory.stat");
  }
  void Add(const std::string& path) {
    fds_.emplace_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    complete_ = complete_ && fds_.back();
  }
  std::vector<FileDescriptor> fds_;
  bool complete_ = true;
};

void BM_BareReads(benchmark::State& bench) {
  const PodGroups node(static_cast<std::size_t>(bench.range(0)));
  const OpenFiles files(node);
  if (!node.complete || !files.complete()) {
    bench.SkipWithError("not every file could be opened; root and cgroup v1 are needed");
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
