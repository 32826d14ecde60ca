// decide CONFIGURATION PODS SUMMARY: says which pod the kubelet would evict, and why.
// These are a KubeletConfiguration, `kubectl get pods -o yaml`, and the kubelet's /stats/summary.
#include <codec/documents/documents.h>
#include <codec/kubernetes/pod_reader.h>
#include <codec/kubernetes/summary_reader.h>
#include <core/config/read_config.h>
#include <core/decide/decide.h>
#include <core/decide/eviction_order.h>
#include <core/thresholds/threshold_settings.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

using namespace jettison;

int main(int count, char** arguments) {
  if (count != 4) return fmt::print("usage: decide CONFIGURATION PODS SUMMARY\n"), 2;
  const auto document = [](const char* path) {
    std::ifstream file(path);
    return ParseDocuments(std::string(std::istreambuf_iterator<char>(file), {})).value().at(0);
  };
  const ConfigReading config = ReadConfig({{arguments[1], document(arguments[1])}});
  Faults faults = config.faults;
  std::vector<PodFacts> pods;
  ForEachPod(document(arguments[2]), {arguments[2], PodForm::kApiObject}, [&](PodReading reading) {
    faults.insert(faults.end(), reading.faults.begin(), reading.faults.end());
    pods.push_back(FactsOf(std::move(reading.pod), Profile::kKubelet));
  });
  Summary summary;
  const auto read = ReadSummary(document(arguments[3]), summary);
  if (!read) faults.push_back({arguments[3], "", "", read.error().message});
  if (!faults.empty()) return fmt::print("{}\n", DescribeAll(faults)), 1;

  const EvictionPolicy& eviction = config.config.eviction;
  const DiskLayout layout;  // one file system for everything
  const PassPolicy policy{
      .thresholds = ThresholdsFor(eviction.thresholds, layout),
      .pressure_transition_period = eviction.pressure_transition_period,
      .max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds,
      .local_storage_capacity_isolation = eviction.local_storage_capacity_isolation,
      .layout = layout};
  const Observations seen = ObservationsFrom(summary);
  const Evaluation evaluation = Evaluate(policy, {}, seen, Instant::clock::now());
  std::vector<const PodFacts*> all;
  for (const PodFacts& pod : pods) all.push_back(&pod);
  const std::vector<ActivePod> active = JoinStats(all, summary);
  const Decision decision = Decide(policy, evaluation, evaluation.acting, active);

  for (const StorageViolation& violation : decision.violations) {
    fmt::print("{}\n", OrderFor(active[violation.pod], violation).message);
  }
  for (const ReclaimStep step : decision.reclaim) fmt::print("unused {} go first\n", NameOf(step));
  if (!decision.victim) return 0;
  const ActivePod& victim = active[*decision.victim];
  const Threshold& threshold = policy.thresholds[*decision.threshold];
  const EvictionOrder order =
      OrderFor(victim, threshold, seen[threshold.signal], policy.max_pod_grace_period_seconds);
  fmt::print("{}: {}\n", FullName(victim.facts->pod), order.message);
}
