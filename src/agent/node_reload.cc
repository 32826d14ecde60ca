// How a node takes other terms of eviction while it is at work.
#include <memory>
#include <utility>
#include <vector>

#include "agent/node.h"
#include "config/containerfs_thresholds.h"
#include "evaluate/carry_over.h"

namespace jettison {

void Node::SetEviction(const EvictionPolicy& eviction) {
  PassPolicy& policy = settings_.policy;
  policy.pressure_transition_period = eviction.pressure_transition_period;
  policy.max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds;
  TakeThresholds(ThresholdsFor(eviction.thresholds, policy.layout));
}

// The runtime may answer long after the first pass.
void Node::SetLayout(DiskLayout layout, std::vector<Threshold> thresholds) {
  settings_.policy.layout = layout;
  TakeThresholds(std::move(thresholds));
}

void Node::TakeThresholds(std::vector<Threshold> thresholds) {
  PassPolicy& policy = settings_.policy;
  standing_.state = CarryOver(standing_.state, policy.thresholds, thresholds);
  policy.thresholds = std::move(thresholds);
  TakePolicy();
  if (!last_report_) return;
  // The last report speaks of thresholds by their place, too.
  const Instant now = edges_.clock.Now();
  auto report = std::make_shared<CycleReport>(*last_report_);
  report->evaluation = Evaluate(policy.thresholds, policy.pressure_transition_period,
                                standing_.state, report->observations, now);
  last_report_ = std::move(report);
  WatchPass();
  Rearm(now);
  PlanLook(ObservationsFrom(summary_), now);
  scheduler_.Request(now);
}

}  // namespace jettison
