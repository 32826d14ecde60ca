#include "core/explain/explain.h"

#include <algorithm>

#include "core/explain/otherwise.h"
#include "core/explain/pass_parts.h"
#include "core/explain/signal_figures.h"
#include "core/explain/storage_limits.h"
#include "core/explain/threshold_facts.h"

namespace jettison {
namespace {

PassOutcome OutcomeOf(const CycleReport& report) {
  if (!report.acting_for) {
    return report.evictions.empty() ? PassOutcome::kNothing : PassOutcome::kStorageLimits;
  }
  if (report.reclaim_under_way) return PassOutcome::kReclaimUnderWay;
  if (report.relieved_by_reclaim) return PassOutcome::kRelieved;
  if (report.pause) return PassOutcome::kPaused;
  if (!report.evictions.empty()) return PassOutcome::kEvicted;
  const bool unknown = std::ranges::any_of(
      report.stale_disk, [](const StaleDiskRecord& stale) { return !stale.measured_at; });
  return unknown ? PassOutcome::kAwaitsDiskUse : PassOutcome::kNobodyMayGo;
}

std::optional<std::size_t> IndexOf(std::span<const ActivePod> pods, std::string_view uid) {
  const auto found =
      std::ranges::find_if(pods, [uid](const ActivePod& pod) { return pod.facts->pod.uid == uid; });
  if (found == pods.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pods.begin());
}

PodIdentity IdentityIn(std::span<const ActivePod> pods, const std::string& uid) {
  const auto index = IndexOf(pods, uid);
  return index ? IdentityOf(*pods[*index].facts)
               : PodIdentity{.namespace_ = "", .name = "", .uid = uid};
}

EvictedPod EvictedBy(const EvictionRecord& record, std::span<const ActivePod> pods) {
  const EvictionOrder& order = record.order;
  return {.pod = IdentityIn(pods, order.pod_uid),
          .grace_period_seconds = order.grace_period_seconds,
          .reason = order.reason,
          .message = order.message,
          .annotations = order.annotations,
          .kill_error = record.kill_error};
}

std::optional<PauseFacts> PauseOf(const CycleReport& report, std::span<const ActivePod> pods) {
  if (!report.pause) return std::nullopt;
  return PauseFacts{.pod = IdentityIn(pods, report.pause->pod_uid),
                    .reason = report.pause->reason,
                    .until = report.pause->until};
}

std::vector<Holders> HoldersIn(const PassParts& parts, std::span<const ActivePod> pods) {
  const auto& acting_for = parts.report.acting_for;
  if (!acting_for) return {};
  const bool of_memory = parts.pace && ResourceOf(parts.pace->signal) == Resource::kMemory;
  const auto holders = HoldersOf(acting_for->signal, parts.summary.node, pods, parts.policy.layout,
                                 of_memory ? parts.pace->ending : 0);
  return holders ? std::vector{*holders} : std::vector<Holders>{};
}

ReclaimFacts ReclaimOf(const CycleReport& report) {
  ReclaimFacts facts{.attempted = report.reclaim_attempted,
                     .errors = report.reclaim_errors,
                     .under_way = report.reclaim_under_way,
                     .relieved = report.relieved_by_reclaim,
                     .memory = report.reclaimed};
  if (!report.after_reclaim) return facts;
  facts.available_before = report.observations[report.acting_for->signal]->available;
  facts.available_after = report.after_reclaim->available;
  return facts;
}

}  // namespace

PassExplanation ExplainParts(const PassParts& parts, const ExplainOptions& options) {
  const CycleReport& report = parts.report;
  DecisionInputs inputs{.policy = parts.policy,
                        .before = parts.before,
                        .now = report.at,
                        .seen = report.observations,
                        .pods = {},
                        .pace = parts.pace};
  JoinStats(parts.pods, parts.summary, inputs.pods);
  if (parts.after_reclaim) inputs.after_reclaim = ObservationsFrom(*parts.after_reclaim);
  const std::vector<ActivePod>& pods = inputs.pods;
  const PassDecision decided = DecisionFor(inputs);
  const Decision& decision = decided.decision;
  const auto subject = IndexOf(pods, options.subject_uid);
  PassExplanation explanation{.id = options.id,
                              .at = report.at,
                              .pass = parts.number,
                              .dry_run = options.dry_run,
                              .outcome = OutcomeOf(report),
                              .conditions = report.conditions(),
                              .reclaim = ReclaimOf(report)};
  if (!options.subject_uid.empty()) explanation.subject = IdentityIn(pods, options.subject_uid);
  explanation.thresholds =
      FactsOf(parts.policy.thresholds, report.observations, report.evaluation, report.at);
  if (report.acting_for && decision.threshold) {
    explanation.threshold = explanation.thresholds[*decision.threshold];
    explanation.signal =
        ReadingOf(report.acting_for->signal, parts.summary, options.memory_estimator);
  }
  for (const StorageViolation& violation : decision.violations) {
    explanation.limits.push_back(LimitOf(pods[violation.pod], violation, parts.policy.layout));
  }
  if (report.ranked_for) {
    explanation.order =
        OrderOf(pods, *report.ranked_for, parts.policy.layout,
                decision.threshold ? CandidatesFor(*decision.threshold, report.evaluation)
                                   : Candidates::kAll,
                decision.victim, options.order_limit);
  }
  for (const SurvivorRecord& survivor : report.survivors) {
    explanation.survivors.push_back({.pod = IdentityIn(pods, survivor.pod_uid),
                                     .since = survivor.since,
                                     .kills = survivor.kills});
  }
  for (const StaleDiskRecord& stale : report.stale_disk) {
    explanation.stale_disk.push_back(
        {.pod = IdentityIn(pods, stale.pod_uid), .measured_at = stale.measured_at});
  }
  for (const EvictionRecord& record : report.evictions) {
    explanation.evicted.push_back(EvictedBy(record, pods));
    const auto index = IndexOf(pods, record.order.pod_uid);
    if (!report.ranked_for || !index) continue;
    explanation.evicted.back().counted =
        CountedText(pods[*index], *report.ranked_for, parts.policy.layout);
  }
  explanation.pause = PauseOf(report, pods);
  for (const SparedPod& spared : report.spared) {
    if (!IndexOf(pods, spared.uid)) continue;
    explanation.spared.push_back(
        {.pod = IdentityIn(pods, spared.uid), .why = spared.why, .until = spared.until});
  }
  for (const EarlyKill& kill : report.early_kills) {
    explanation.early_kills.push_back({.pod = IdentityIn(pods, kill.pod_uid), .kill = kill});
  }
  explanation.holders = HoldersIn(parts, pods);
  explanation.otherwise = OtherwiseFor(inputs, decided, explanation.outcome, subject);
  return explanation;
}

PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options) {
  std::vector<const PodFacts*> pods;
  pods.reserve(pass.pods.size());
  for (const auto& facts : pass.pods) pods.push_back(facts.get());
  return ExplainParts({.number = pass.number,
                       .policy = *pass.policy,
                       .before = pass.before,
                       .summary = pass.summary,
                       .pods = pods,
                       .report = pass.report,
                       .pace = pass.pace,
                       .after_reclaim = pass.after_reclaim},
                      options);
}

}  // namespace jettison
