#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/pods/pod_kind.h"
#include "tests/synthetic_node.h"
#include "view/snapshot.h"

namespace jettison {

// A recording that nobody reads.
class SyntheticRecording : public ServedRecording {
 public:
  [[nodiscard]] Result<RecordingFetch> Fetch(const RecordingTimes& /*times*/,
                                             WakeClient /*wake*/) override {
    return Fail(ErrorCode::kUnavailable, "there is none");
  }
  [[nodiscard]] RecorderCounters counters() const override { return {.passes = 1}; }
};

// A running agent's snapshot of the synthetic node, a minute after its start and after one full
// pass, with `pods` pods that all run. The same seed gives the same snapshot.
inline Snapshot SyntheticSnapshot(std::size_t pods, std::uint32_t seed = 1) {
  const Instant start = Instant(std::chrono::hours(24 * 365 * 50));
  SyntheticNode node(pods, seed);
  Snapshot snapshot;
  snapshot.at = start + std::chrono::minutes(1);

  auto identity = std::make_shared<NodeIdentity>();
  identity->config.node_name = "synthetic";
  identity->started_at = start;
  identity->capacity = {{"cpu", Quantity::Of(16)},
                        {"memory", Quantity::Of(std::int64_t{64} << 30)}};
  snapshot.node = identity;

  auto policy = std::make_shared<PassPolicy>();
  policy->thresholds = DefaultThresholds();
  snapshot.policy = policy;
  snapshot.passes = 1;
  snapshot.recording = std::make_shared<SyntheticRecording>();

  auto report = std::make_shared<CycleReport>();
  report->at = snapshot.at;
  node.summary.node.memory->time = snapshot.at;
  report->observations = ObservationsFrom(node.summary);
  report->evaluation = Evaluate(*policy, {}, report->observations, snapshot.at);
  snapshot.last_report = report;
  snapshot.conditions = report->conditions();
  for (const NodeConditionType type : kAllNodeConditions) {
    snapshot.condition_views.push_back(
        {.type = type, .status = snapshot.conditions.Has(type), .last_transition = start});
  }
  for (std::size_t i = 0; i < policy->thresholds.size(); ++i) {
    const Threshold& threshold = policy->thresholds[i];
    snapshot.thresholds.push_back({.threshold = threshold,
                                   .observation = report->observations[threshold.signal],
                                   .met = report->evaluation.met[i],
                                   .overdue = report->evaluation.overdue[i],
                                   .since = report->evaluation.next.first_observed_at[i]});
  }
  for (std::size_t i = 0; i < node.facts.size(); ++i) {
    const PodStats& stats = node.summary.pods[i];
    auto facts = std::make_shared<PodFacts>(std::move(node.facts[i]));
    PodView view{.facts = facts,
                 .name = facts->pod.name,
                 .namespace_ = facts->pod.namespace_,
                 .uid = facts->pod.uid,
                 .qos = QosClassOf(facts->pod),
                 .priority = facts->priority,
                 .protection = facts->protection,
                 .wanted = true,
                 .activity = PodActivity::kRunning,
                 .memory_working_set_bytes = stats.memory_working_set_bytes,
                 .process_count = stats.process_count,
                 .ephemeral_storage = stats.ephemeral_storage,
                 .disk_measured_at = snapshot.at};
    view.status.phase = PodPhase::kRunning;
    view.status.start_time = start;
    for (const Container& container : facts->pod.containers) {
      view.status.containers.push_back(
          {.name = container.name, .state = ContainerRunning{start}, .ready = true});
    }
    snapshot.pods.push_back(std::move(view));
  }
  snapshot.pods_measured_at = snapshot.at;
  snapshot.summary = std::make_shared<const Summary>(std::move(node.summary));
  snapshot.counters = std::make_shared<const NodeCounters>();
  return snapshot;
}

}  // namespace jettison
