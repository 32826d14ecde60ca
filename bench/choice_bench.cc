// The cost of finding the pod that is evicted first for memory, in real control groups of this
// kernel: by reading every pod, and by reading only the candidates (decide/victim_search), with and
// without knowing beforehand which pod uses the most. The floor is what an exact choice needs at
// least: the figures of the QoS classes, and the files of the pod that is evicted. Needs root.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "agent/figures/stats_collector.h"
#include "agent/passes/reading/contenders.h"
#include "bench/pod_groups.h"
#include "core/decide/ranking.h"
#include "kernel/groups/group_files.h"
#include "kernel/procfs/procfs.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

constexpr std::size_t kHogBytes = std::size_t{64} << 20;

// A process in a pod's group that holds memory.
class Hog {
 public:
  Hog(Cgroups& groups, const std::string& group) {
    int ready[2];
    if (pipe(ready) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      if (!groups.Join(group, 0)) _exit(1);
      void* memory = mmap(nullptr, kHogBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (memory == MAP_FAILED || write(ready[1], "1", 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(ready[1]);
    char byte = 0;
    complete = pid_ > 0 && read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Hog() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

  bool complete = false;

 private:
  pid_t pid_ = -1;
};

// A node with idle pods and a hog among them, and what reads it.
struct Stage {
  explicit Stage(std::size_t count) : node(count) {
    if (!node.complete || !procfs) return;
    hog_place = count / 2;
    hog = std::make_unique<Hog>(*node.groups, HogGroup());
    figures = std::make_unique<StatsCollector>(FigureSources{.node = *node.groups,
                                                             .pods = *node.groups,
                                                             .procfs = *procfs,
                                                             .whole_machine = false,
                                                             .node_fs = "/"},
                                               clock, log);
    figures->ReadPods(node.pointers, nullptr, stats);  // the first opens the files
    complete = hog->complete;
  }
  [[nodiscard]] std::string HogGroup() const {
    return kernel::PodGroup(QosClass::kBestEffort, node.pods[hog_place].pod.uid) + "/c";
  }
  [[nodiscard]] bool Found(std::optional<std::size_t> victim) const { return victim == hog_place; }

  PodGroups node;
  Result<Procfs> procfs = Procfs::Open();
  FakeClock clock{Instant(std::chrono::hours(1))};
  Log log{LogFormat::kText, clock, [](std::string_view) {}};
  std::size_t hog_place = 0;
  std::unique_ptr<Hog> hog;
  std::unique_ptr<StatsCollector> figures;
  std::vector<PodStats> stats;
  bool complete = false;
};

std::optional<std::size_t> VictimAmong(const Stage& stage, std::vector<ActivePod>& joined) {
  joined.clear();
  for (std::size_t i = 0; i < stage.stats.size(); ++i) {
    joined.push_back({stage.node.pointers[i], &stage.stats[i]});
  }
  return FirstVictim(joined, Signal::kMemoryAvailable, {});
}

void BM_ReadAllAndChoose(benchmark::State& bench) {
  Stage stage(static_cast<std::size_t>(bench.range(0)));
  if (!stage.complete) return bench.SkipWithError("no groups could be made; root is needed");
  std::vector<ActivePod> joined;
  for (auto _ : bench) {
    stage.figures->ReadMemoryOf(stage.node.pointers, stage.stats);
    if (!stage.Found(VictimAmong(stage, joined))) return bench.SkipWithError("another one");
  }
}

void Choose(benchmark::State& bench, bool is_known) {
  Stage stage(static_cast<std::size_t>(bench.range(0)));
  if (!stage.complete) return bench.SkipWithError("no groups could be made; root is needed");
  std::vector<ActivePod> joined;
  std::vector<PodStats> nothing_known = stage.stats;
  for (PodStats& stats : nothing_known) stats.memory_working_set_bytes = 0;
  Contenders contenders(*stage.figures);
  contenders.Take(stage.node.pointers, is_known ? stage.stats : nothing_known);
  for (auto _ : bench) {
    contenders.Read(Resource::kMemory, stage.node.pointers, stage.stats);
    if (!stage.Found(VictimAmong(stage, joined))) return bench.SkipWithError("another one");
  }
}
void BM_ChooseWhereTheHogIsKnown(benchmark::State& bench) {
  Choose(bench, true);
}
void BM_ChooseWhereNothingIsKnown(benchmark::State& bench) {
  Choose(bench, false);
}

void BM_LeastReads(benchmark::State& bench) {
  const Stage stage(static_cast<std::size_t>(bench.range(0)));
  if (!stage.complete) return bench.SkipWithError("no groups could be made; root is needed");
  const std::string pod =
      kernel::PodGroup(QosClass::kBestEffort, stage.node.pods[stage.hog_place].pod.uid);
  const std::string of_class = kernel::QosGroup(QosClass::kBestEffort);
  for (auto _ : bench) {
    benchmark::DoNotOptimize(stage.node.groups->ReadMemoryUsage(of_class));
    benchmark::DoNotOptimize(stage.node.groups->ReadMemory(pod));
  }
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(5)->Arg(110)->Arg(500)->Arg(1'000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_ReadAllAndChoose)->Apply(Sizes);
BENCHMARK(BM_ChooseWhereTheHogIsKnown)->Apply(Sizes);
BENCHMARK(BM_ChooseWhereNothingIsKnown)->Apply(Sizes);
BENCHMARK(BM_LeastReads)->Apply(Sizes);

}  // namespace
}  // namespace jettison
