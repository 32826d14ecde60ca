#include "agent/passes/node_snapshot.h"

#include <memory>
#include <utility>
#include <vector>

namespace jettison {
namespace {

// What a look has seen since the last pass, so that the time to the threshold, the pace and the
// amount belong to one moment.
void LookAgain(const MemoryLooks& looks, ThresholdView& view) {
  if (const auto& seen = looks.LastSeen(view.threshold.signal)) view.observation = seen;
  if (view.met) return;
  view.time_to = looks.TimeTo(view.threshold);
  if (view.time_to) view.shrinking_by = looks.ShrinkingBy(view.threshold.signal);
}

std::vector<ThresholdView> ThresholdViews(const NodePasses& passes, const MemoryLooks& looks) {
  std::vector<ThresholdView> views;
  const auto& thresholds = passes.policy()->thresholds;
  const CycleReport* last = passes.record().last.get();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    ThresholdView view{.threshold = thresholds[i]};
    if (last != nullptr) {
      view.observation = last->observations[view.threshold.signal];
      view.met = last->evaluation.met[i];
      view.overdue = last->evaluation.overdue[i];
      view.since = passes.standing().state.first_observed_at[i];
      LookAgain(looks, view);
      view.has_no_such =
          !view.observation && HasNoSuch(passes.summary().node, view.threshold.signal);
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

// Figures of the node now, of pods as of the last full pass.
std::shared_ptr<const Summary> SummaryOf(const NodePasses& passes) {
  auto summary = std::make_shared<Summary>();
  summary->node = passes.summary().node;
  if (const auto& stats = passes.record().pods.stats()) summary->pods = *stats;
  return summary;
}

}  // namespace

Snapshot SnapshotOf(const NodePasses& passes, const MemoryLooks& looks, const NodeEdges& edges,
                    std::optional<Instant> next_by_clock) {
  const PassRecord& record = passes.record();
  Snapshot snapshot;
  snapshot.at = edges.clock.Now();
  snapshot.policy = passes.policy().For(PassKind::kFull, false);
  snapshot.passes = record.count;
  snapshot.conditions = passes.standing().state.conditions;
  snapshot.condition_views = ConditionViews(passes.standing());
  snapshot.waiting_for_cleanup = passes.standing().wait.active();
  snapshot.pause = passes.pacing().paused().pause();
  snapshot.pace = passes.pacing().InputNow(next_by_clock, snapshot.at);
  snapshot.holders = record.holders;
  snapshot.reclaim_under_way = edges.reclaimer.UnderWay();
  snapshot.thresholds = ThresholdViews(passes, looks);
  snapshot.pods = edges.pods.Views(snapshot.at);
  passes.spared().ShowIn(snapshot.pods);
  record.pods.AddTo(snapshot.pods);
  snapshot.events.assign(edges.events.events().begin(), edges.events.events().end());
  snapshot.last_report = record.last;
  if (record.count > 0) snapshot.summary = SummaryOf(passes);
  snapshot.pods_measured_at = record.pods.at();
  snapshot.cycles = record.passes.Passes();
  snapshot.history = record.signals.Samples();
  return snapshot;
}

}  // namespace jettison
