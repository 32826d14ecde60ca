// What an explanation of a node full of pods costs, from the values to the JSON that is answered,
// which holds the text for people as well.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/explain/explain.h"
#include "core/explanation/explanation_text.h"
#include "sim/explain_now.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

// Of that many pods, under memory pressure.
NodeNow NodeOf(std::size_t pods) {
  SyntheticNode synthetic(pods, 1);
  NodeNow node{.at = Instant(std::chrono::hours(24)), .passes = 1};
  auto policy = std::make_shared<PassPolicy>();
  policy->thresholds = DefaultThresholds();
  node.policy = policy;
  node.summary = std::make_shared<const Summary>(std::move(synthetic.summary));
  for (PodFacts& facts : synthetic.facts) {
    node.pods.push_back(std::make_shared<const PodFacts>(std::move(facts)));
  }
  return node;
}

template <typename Explain>
void Time(benchmark::State& bench, Explain explain) {
  const NodeNow node = NodeOf(static_cast<std::size_t>(bench.range(0)));
  std::size_t bytes = 0;
  for (auto _ : bench) {
    std::string json = explain(node);
    bytes = json.size();
    benchmark::DoNotOptimize(json);
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}

void BM_ExplainNow(benchmark::State& bench) {
  Time(bench, [](const NodeNow& node) { return JsonOf(ExplainNode(node)); });
}
BENCHMARK(BM_ExplainNow)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_ExplainPod(benchmark::State& bench) {
  Time(bench, [](const NodeNow& node) {
    return JsonOf(*ExplainPod(node, node.pods[node.pods.size() / 2]->pod.uid));
  });
}
BENCHMARK(BM_ExplainPod)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_Rank(benchmark::State& bench) {
  Time(bench, [](const NodeNow& node) {
    return JsonOf(OrderNow(node, Signal::kMemoryAvailable), node.at);
  });
}
BENCHMARK(BM_Rank)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

// As it is kept when a pod has been evicted: the order is cut around it.
void BM_ExplainEviction(benchmark::State& bench) {
  const NodeNow node = NodeOf(static_cast<std::size_t>(bench.range(0)));
  RecordedPass pass{
      .number = 1, .policy = node.policy, .summary = *node.summary, .pods = node.pods};
  pass.report.at = node.at;
  pass.report.observations = ObservationsFrom(pass.summary);
  pass.report.evaluation =
      Evaluate(node.policy->thresholds, node.policy->pressure_transition_period, pass.before,
               pass.report.observations, node.at);
  pass.report.acting_for = node.policy->thresholds.front();
  pass.report.ranked_for = Signal::kMemoryAvailable;
  pass.report.evictions.emplace_back().order.pod_uid = node.pods.front()->pod.uid;
  std::size_t bytes = 0;
  for (auto _ : bench) {
    std::string json = JsonOf(Explain(pass, {.id = "ev-1", .order_limit = 50}));
    bytes = json.size();
    benchmark::DoNotOptimize(json);
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_ExplainEviction)->Arg(110)->Arg(1'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jettison
