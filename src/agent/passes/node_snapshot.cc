#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "agent/passes/node_state.h"

namespace jettison {
namespace {

std::vector<ThresholdView> ThresholdViews(const NodeState& node, const SignalTrends& trends,
                                          Instant now) {
  std::vector<ThresholdView> views;
  const auto& thresholds = node.policies->thresholds;
  const CycleReport* last = node.record.last.get();
  const Observations seen = ObservationsFrom(node.summary);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    ThresholdView view{.threshold = thresholds[i]};
    if (last != nullptr) {
      view.observation = seen[view.threshold.signal];
      view.trend = trends.Of(view.threshold.signal, now);
      view.met = last->evaluation.met[i];
      view.overdue = last->evaluation.overdue[i];
      view.since = node.standing.state.first_observed_at[i];
      if (!view.met && view.observation && view.trend) {
        view.time_to = TimeTo(view.threshold, *view.observation, *view.trend);
      }
      view.has_no_such = !view.observation && HasNoSuch(node.summary.node, view.threshold.signal);
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<ConditionView> ConditionViews(const NodeStanding& standing) {
  std::vector<ConditionView> views;
  for (const NodeConditionType type : kAllNodeConditions) {
    views.push_back({.type = type,
                     .status = standing.state.conditions.Has(type),
                     .last_transition = standing.condition_changed_at[IndexOf(type)]});
  }
  return views;
}

void ShowSpared(const NodeState& node, std::vector<PodView>& views) {
  for (const SharedPodFacts& pod : node.pods) {
    if (!pod->IsSpared()) continue;
    const auto view = std::ranges::find(views, pod->pod.uid, &PodView::uid);
    if (view == views.end()) continue;
    view->facts = pod;
    view->protection = Protection::kSpared;
  }
}

// Figures of the node now, of pods as of the last full pass.
std::shared_ptr<const Summary> SummaryOf(const NodeState& node) {
  auto summary = std::make_shared<Summary>();
  summary->node = node.summary.node;
  summary->pods = node.record.pods.stats();
  return summary;
}

}  // namespace

Snapshot SnapshotOf(const NodeState& node, const SignalTrends& trends,
                    const NodeDependencies& dependencies, Instant next_by_clock) {
  const PassRecord& record = node.record;
  Snapshot snapshot;
  snapshot.at = dependencies.clock.Now();
  snapshot.policy = node.policies.For(PassKind::kFull, false);
  snapshot.passes = record.count;
  snapshot.conditions = node.standing.state.conditions;
  snapshot.condition_views = ConditionViews(node.standing);
  snapshot.waiting_for_cleanup = node.pacing.awaits();
  snapshot.pause = node.pacing.pause();
  snapshot.pace = node.pacing.InputNow(next_by_clock, snapshot.at);
  snapshot.holders = record.holders;
  snapshot.reclaim_under_way = dependencies.reclaimer.UnderWay();
  snapshot.thresholds = ThresholdViews(node, trends, snapshot.at);
  snapshot.pods = dependencies.pods.Views(snapshot.at);
  ShowSpared(node, snapshot.pods);
  record.pods.AddTo(snapshot.pods);
  snapshot.events.assign(dependencies.events.events().begin(), dependencies.events.events().end());
  snapshot.last_report = record.last;
  if (record.count > 0) snapshot.summary = SummaryOf(node);
  snapshot.pods_measured_at = record.pods.at();
  snapshot.cycles = record.passes.Passes();
  snapshot.history = record.signals.Samples();
  return snapshot;
}

}  // namespace jettison
