// The cost of one decision, from the observations to the first pod to evict, under memory pressure
// and with local-storage isolation. The floor reads one working set and one request per pod and
// keeps the largest difference; no agent can choose with less.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "core/observe/observations.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

constexpr std::uint32_t kSeed = 20260101;

void BM_DecisionPass(benchmark::State& bench) {
  const SyntheticNode node(static_cast<std::size_t>(bench.range(0)), kSeed);
  const std::vector<Threshold> thresholds = DefaultThresholds();
  std::vector<ActivePod> joined;
  EvictionState state;
  Instant now{};
  for (auto _ : bench) {
    now += std::chrono::seconds(10);
    JoinStats(node.pods, node.summary, joined);
    const Observations seen = ObservationsFrom(node.summary);
    const Evaluation evaluation = Evaluate(thresholds, std::chrono::minutes(5), state, seen, now);
    const Decision decision = Decide(thresholds, true, DiskLayout{}, evaluation, joined);
    if (!decision.victim) bench.SkipWithError("no victim was found");
    benchmark::DoNotOptimize(decision.victim);
    state = evaluation.next;
  }
}
BENCHMARK(BM_DecisionPass)
    ->Arg(110)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

void BM_Floor(benchmark::State& bench) {
  const SyntheticNode node(static_cast<std::size_t>(bench.range(0)), kSeed);
  for (auto _ : bench) {
    Nanos most = 0;
    std::size_t victim = 0;
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      const Nanos excess = Nanos{*node.summary.pods[i].memory_working_set_bytes} * 1'000'000'000 -
                           node.pods[i]->memory_request;
      if (excess > most) most = excess, victim = i;
    }
    benchmark::DoNotOptimize(victim);
  }
}
BENCHMARK(BM_Floor)->Arg(110)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace jettison
