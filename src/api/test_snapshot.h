#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "tests/synthetic_node.h"
#include "view/snapshot.h"

// A node as tests look at it: pods of every kind with their figures, one pass made.
namespace jettison {

inline constexpr Instant kTestNow = Instant(std::chrono::hours(24 * 365 * 55));

inline PodStatus RunningStatus(const Pod& pod) {
  PodStatus status{.phase = PodPhase::kRunning, .start_time = kTestNow - std::chrono::hours(1)};
  for (const Container& container : pod.containers) {
    status.containers.push_back(
        {.name = container.name,
         .state = ContainerRunning{.started_at = kTestNow - std::chrono::minutes(59)},
         .ready = true});
  }
  status.Set(
      {.type = "Ready", .status = true, .last_transition = kTestNow - std::chrono::minutes(58)});
  return status;
}

inline PodView ViewOf(const std::shared_ptr<const PodFacts>& facts) {
  return {.facts = facts,
          .name = facts->pod.name,
          .namespace_ = facts->pod.namespace_,
          .uid = facts->pod.uid,
          .priority = facts->priority,
          .protection = facts->protection,
          .activity = PodActivity::kRunning,
          .status = RunningStatus(facts->pod)};
}

inline std::shared_ptr<const NodeIdentity> TestIdentity() {
  NodeIdentity node;
  node.config.node_name = "node-1";
  node.config.profile = Profile::kKubelet;
  node.started_at = kTestNow - std::chrono::hours(2);
  node.capacity["cpu"] = Quantity::Of(4, QuantityFormat::kDecimalSI);
  node.capacity["memory"] = Quantity::Of(std::int64_t{64} << 30);
  node.allocatable.fill(Nanos{1} << 100);
  return std::make_shared<const NodeIdentity>(std::move(node));
}

inline void AddTestEvent(Snapshot& snapshot, std::string pod, const std::string& reason,
                         Instant at) {
  const std::uint64_t sequence = snapshot.events.empty() ? 1 : snapshot.events.back().sequence + 1;
  const std::string object = pod.empty() ? "node" : "uid-1";
  snapshot.events.push_back({.sequence = sequence,
                             .at = at,
                             .pod = std::move(pod),
                             .event = {.object = object, .reason = reason, .message = reason},
                             .first_at = at});
}

inline Snapshot TestSnapshot(std::size_t pods) {
  SyntheticNode synthetic(pods, 1);
  Snapshot snapshot{.at = kTestNow, .node = TestIdentity(), .passes = 1};
  for (PodFacts& facts : synthetic.facts) {
    snapshot.pods.push_back(ViewOf(std::make_shared<const PodFacts>(std::move(facts))));
  }
  for (const NodeConditionType type : kAllNodeConditions) {
    snapshot.condition_views.push_back(
        {.type = type, .last_transition = snapshot.node->started_at});
  }
  auto policy = std::make_shared<PassPolicy>();
  policy->thresholds = DefaultThresholds();
  snapshot.policy = policy;
  for (const Threshold& threshold : policy->thresholds) {
    snapshot.thresholds.push_back(
        {.threshold = threshold, .observation = Observation{.available = 1, .capacity = 2}});
  }
  auto report = std::make_shared<CycleReport>();
  report->at = kTestNow - std::chrono::seconds(3);
  snapshot.last_report = report;
  snapshot.summary = std::make_shared<const Summary>(std::move(synthetic.summary));
  snapshot.pods_measured_at = report->at;
  return snapshot;
}

}  // namespace jettison
