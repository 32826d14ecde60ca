#include "agent/passes/pass_reporter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// A question to the API server is repeated often, but its outcome is logged once, by the part that
// asks.
bool IsLoggedByWhoAsks(PaceReason reason) {
  return reason == PaceReason::kAsked || reason == PaceReason::kApiAway ||
         reason == PaceReason::kNoRight;
}

}  // namespace

const CycleReport& PassReporter::Report(DonePass done) {
  RecordedPass& pass = done.pass;
  CycleReport& report = pass.report;
  const Instant now = report.at;
  NotifyListeners(report);
  report.spared = node_.spared;
  if (report.acting_for) report.survivors = dependencies_.pods.Survivors();
  report.early_kills = node_.pacing.TakeEarlyKills();
  ++node_.record.count;
  node_.record.last = std::make_shared<const CycleReport>(report);
  const CycleReport& last = *node_.record.last;
  if (!IsSavedAlike(pass.before, node_.standing.state)) ++changes_;
  AwaitCleanup(last, now);
  ReportConditions(last, pass.before.conditions, now);
  ReportPause(last, done.pods, now);
  dependencies_.pods.PassDone(last.conditions(), now, last.evaluation.overdue.any());
  if (last.pause && !done.eviction_had_waited) {
    asked_ = pass;
    asked_->summary = node_.summary;
  }
  Record(std::move(pass), done.kind);
  done.times.ended = dependencies_.clock.Now();
  CountPass(last, done.kind, done.times, counters_);
  return last;
}

void PassReporter::NotifyListeners(const CycleReport& report) {
  for (const EvictionRecord& eviction : report.evictions) {
    const Result<EvictOutcome> outcome =
        eviction.outcome ? Result<EvictOutcome>(*eviction.outcome)
                         : Fail(ErrorCode::kInternal, eviction.kill_error.value_or(""));
    for (NodeListener* const listener : dependencies_.listeners) {
      listener->Evicting(eviction.order, outcome, dependencies_.clock.Now());
    }
  }
}

void PassReporter::ReportConditions(const CycleReport& report, NodeConditions before, Instant now) {
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) != report.conditions().Has(type)) {
      node_.standing.condition_changed_at[IndexOf(type)] = now;
    }
  }
  const bool changed = !(before == report.conditions());
  for (NodeListener* const listener : dependencies_.listeners) {
    if (changed) listener->ConditionsChanged(before, report.conditions(), now);
  }
  log_.Add(report, before);
}

void PassReporter::AwaitCleanup(const CycleReport& report, Instant now) {
  if (report.evictions.empty()) return;
  for (const EvictionRecord& eviction : report.evictions) {
    if (HasAskedFor(eviction.order.pod_uid)) asked_.reset();
  }
  const std::vector<std::string> ending = EndingPodsOf(report);
  if (ending.empty() && !HasOutcome(report, EvictOutcome::kDryRun)) return;
  const bool hard = std::ranges::any_of(report.evictions, [](const EvictionRecord& eviction) {
    return eviction.order.grace_period_seconds <= kHardEvictionGracePeriodSeconds;
  });
  node_.pacing.Evicted(ending, hard, now);
  for (const std::string& uid : ending) {
    dependencies_.disk_walks.Forget(uid);
    node_.record.pods.Forget(uid);
    ++changes_;
  }
}

// Takes the pause before the next eviction, and what holds the memory and a disk, from the pass.
void PassReporter::ReportPause(const CycleReport& report, std::span<const ActivePod> pods,
                               Instant now) {
  if (!node_.summary.pods.empty() || dependencies_.pods.Active().empty()) TakeHolders(report, pods);
  const bool is_new = node_.pacing.PassDone(report, now);
  if (is_new) {
    ++counters_.waits[static_cast<std::size_t>(report.pause->reason)];
    if (!IsLoggedByWhoAsks(report.pause->reason)) log_.Waits(*report.pause);
  }
  log_.HeldBy(report, node_.record.holders, is_new);
}

// A pass that has not measured the pods' files keeps what was known of a disk.
void PassReporter::TakeHolders(const CycleReport& report, std::span<const ActivePod> pods) {
  std::vector<Holders> known = std::exchange(node_.record.holders, {});
  for (const Signal signal :
       SignalsWithHolders(node_.policies->thresholds, report.evaluation.met)) {
    auto holders = HoldersOf(signal, node_.summary.node, pods, node_.policies->layout,
                             node_.pacing.HeldByEnding());
    const auto before = std::ranges::find(known, signal, &Holders::signal);
    if (!holders && before != known.end()) holders = std::move(*before);
    if (holders) node_.record.holders.push_back(*std::move(holders));
  }
}

// Called for each pass after its eviction. A watch pass that found nothing is not kept, because
// near a threshold there are hundreds of them a second. A pass that evicts is kept even without
// onlookers.
void PassReporter::Record(RecordedPass pass, PassKind kind) {
  if (!record_passes_ && pass.report.evictions.empty()) return;
  node_.record.signals.Add(pass.report.observations, pass.report.at);
  if (kind == PassKind::kWatch && !DidSomething(pass)) return;
  pass.summary = node_.summary;
  Publish(std::move(pass));
}

void PassReporter::Publish(RecordedPass pass) {
  const auto kept = std::make_shared<const RecordedPass>(std::move(pass));
  node_.record.passes.Add(kept);
  if (dependencies_.on_pass) dependencies_.on_pass(kept);
}

bool PassReporter::HasAskedFor(std::string_view uid) const {
  return asked_ && asked_->report.pause->pod_uid == uid;
}

// If the answer came late, or after the thresholds have changed, the pass is no longer kept.
RecordedPass PassReporter::TakeAsked(const EvictionOrder& order) {
  if (HasAskedFor(order.pod_uid)) return *std::exchange(asked_, std::nullopt);
  RecordedPass pass{.policy = node_.PolicyOf(PassKind::kWatch), .before = node_.standing.state};
  if (const auto& last = node_.record.last) {
    pass.report.at = last->at;
    pass.report.observations = last->observations;
    pass.report.evaluation = last->evaluation;
  }
  return pass;
}

const CycleReport* PassReporter::Granted(const EvictionOrder& order, Instant now) {
  PodTable& pods = dependencies_.pods;
  if (!HasAskedFor(order.pod_uid) && !pods.IsOnNode(order.pod_uid)) return nullptr;
  RecordedPass pass = TakeAsked(order);
  const bool ends = order.left_to_agent ? pods.Evict(order, now) == EvictOutcome::kEnding
                                        : pods.NoteEvicted(order, now);
  if (!ends) return nullptr;
  pass.number = ++node_.record.count;
  CycleReport& report = pass.report;
  report.pause.reset();
  report.evictions.push_back({.order = order,
                              .storage_limit = std::nullopt,
                              .kill_error = std::nullopt,
                              .outcome = EvictOutcome::kEnding});
  report.events = {EvictedEvent(order)};
  NotifyListeners(report);
  MarkEviction(report.observations, now, node_.standing.state);
  node_.record.last = std::make_shared<const CycleReport>(report);
  AwaitCleanup(report, now);
  log_.Granted(report);
  (void)node_.pacing.PassDone(report, now);
  CountPass(report, PassKind::kWatch,
            {.woken = report.at, .began = now, .decided = now, .ended = now}, counters_);
  Publish(std::move(pass));
  return node_.record.last.get();
}

bool PassReporter::CheckCleanup(Instant now) {
  const std::optional<bool> all_gone = node_.pacing.CheckCleanup(now);
  if (!all_gone) return false;
  ++changes_;
  if (*all_gone) {
    dependencies_.log.Info("eviction manager: pods were cleaned up");
  } else {
    dependencies_.log.Warn("eviction manager: timed out waiting for pods to be cleaned up");
  }
  for (NodeListener* const listener : dependencies_.listeners) listener->CleanedUp(*all_gone, now);
  return true;
}

}  // namespace jettison
