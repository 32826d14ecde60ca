// The cost of serving a client: making the text of each endpoint for a node of 1,000 pods, without
// transport.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

#include "api/kubernetes/objects.h"
#include "api/metrics/metrics.h"
#include "tests/synthetic_snapshot.h"

namespace jettison {
namespace {

template <typename Write>
void Time(benchmark::State& bench, Write write) {
  const Snapshot snapshot = SyntheticSnapshot(static_cast<std::size_t>(bench.range(0)));
  std::size_t bytes = 0;
  for (auto _ : bench) {
    std::string text = write(snapshot);
    bytes = text.size();
    benchmark::DoNotOptimize(text);
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}

void BM_Metrics(benchmark::State& bench) {
  Time(bench, [](const Snapshot& snapshot) { return MetricsPage(snapshot, Instant::min()); });
}
BENCHMARK(BM_Metrics)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_StatsSummary(benchmark::State& bench) {
  Time(bench, StatsSummaryJson);
}
BENCHMARK(BM_StatsSummary)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_Pods(benchmark::State& bench) {
  Time(bench, PodListJson);
}
BENCHMARK(BM_Pods)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

// The same as a value, which the agent's loop makes for all who ask within a tenth of a second.
void BM_CopyCounters(benchmark::State& bench) {
  const NodeCounters counters;
  for (auto _ : bench) {
    auto copy = std::make_shared<const NodeCounters>(counters);
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_CopyCounters)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace jettison
