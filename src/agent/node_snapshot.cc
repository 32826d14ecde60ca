// How a node shows itself to onlookers.
#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/node.h"

namespace jettison {

// Told of each pass when its deed is done. A watch pass that found nothing is not kept: near a
// threshold there are hundreds of them a second.
void Node::Record(RecordedPass pass, const std::vector<const PodFacts*>& pods) {
  history_.Add(last_report_->observations, last_report_->at);
  pass.report = *last_report_;
  const bool full = pass.policy == policy_;
  if (!full && !DidSomething(pass)) return;
  pass.summary = summary_;
  pass.pods = edges_.pods.Keep(pods);
  const auto kept = std::make_shared<const RecordedPass>(std::move(pass));
  recorded_.Add(kept);
  if (edges_.on_eviction && !kept->report.evictions.empty()) edges_.on_eviction(kept);
}

std::vector<ThresholdView> Node::ThresholdViews() const {
  std::vector<ThresholdView> views;
  const auto& thresholds = settings_.policy.thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    ThresholdView view{.threshold = thresholds[i]};
    if (last_report_) {
      view.observation = last_report_->observations[view.threshold.signal];
      view.met = last_report_->evaluation.met[i];
      view.overdue = last_report_->evaluation.overdue[i];
      view.since = standing_.state.first_observed_at[i];
      if (!view.met) view.time_to = forecast_.TimeTo(view.threshold);
    }
    views.push_back(std::move(view));
  }
  return views;
}

void Node::AddFigures(std::vector<PodView>& pods) const {
  // Both are by namespace and name, so the next one is found at once or a little further on.
  auto from = pods.begin();
  for (const PodStats& stats : last_pod_stats_) {
    const auto pod =
        std::find_if(from, pods.end(), [&](const PodView& view) { return view.uid == stats.uid; });
    if (pod == pods.end()) continue;
    from = std::next(pod);
    if (pod->activity == PodActivity::kWaiting) continue;
    pod->memory_working_set_bytes = stats.memory_working_set_bytes;
    pod->process_count = stats.process_count;
    pod->ephemeral_storage = stats.ephemeral_storage;
    const auto measured = disk_measured_at_.find(stats.uid);
    if (measured != disk_measured_at_.end()) pod->disk_measured_at = measured->second;
  }
}

Snapshot Node::MakeSnapshot() const {
  Snapshot snapshot;
  snapshot.at = edges_.clock.Now();
  snapshot.policy = policy_;
  snapshot.passes = passes_;
  snapshot.conditions = standing_.state.conditions;
  for (const NodeConditionType type : kAllNodeConditions) {
    snapshot.condition_views.push_back(
        {.type = type,
         .status = standing_.state.conditions.Has(type),
         .last_transition = standing_.condition_changed_at[IndexOf(type)]});
  }
  snapshot.waiting_for_cleanup = standing_.wait.active();
  snapshot.pause = pause_;
  if (pace_input_) {
    snapshot.pace = pace_.InputFor(pace_input_->signal, scheduler_.NextDeadline(), snapshot.at);
  }
  snapshot.holders = holders_;
  snapshot.reclaim_under_way = edges_.reclaimer.UnderWay();
  snapshot.thresholds = ThresholdViews();
  snapshot.pods = edges_.pods.Views(snapshot.at);
  AddFigures(snapshot.pods);
  snapshot.events.assign(edges_.events.events().begin(), edges_.events.events().end());
  snapshot.last_report = last_report_;
  if (passes_ > 0) {
    auto summary = std::make_shared<Summary>();
    summary->node = summary_.node;
    summary->pods = last_pod_stats_;
    snapshot.summary = std::move(summary);
  }
  snapshot.pods_measured_at = pods_measured_at_;
  snapshot.cycles = recorded_.Passes();
  snapshot.history = history_.Samples();
  return snapshot;
}

}  // namespace jettison
