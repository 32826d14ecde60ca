#include "core/explain/explain.h"

#include <algorithm>

#include "core/evaluate/evaluate.h"
#include "core/explanation/explanation_text.h"
#include "core/pods/pod_kind.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

RankedPod Describe(const ActivePod& pod, const RankKey& key, Signal signal, DiskLayout layout,
                   Candidates candidates) {
  const Resource resource = ResourceOf(signal);
  const ResourceRow& row = RowOf(resource);
  RankedPod ranked{.pod = IdentityOf(pod.facts->pod),
                   .qos = QosClassOf(pod.facts->pod),
                   .priority = pod.facts->priority,
                   .measured = pod.stats != nullptr,
                   .exceeds_request = key.known && !key.within_request && pod.stats != nullptr &&
                                      row.ranked_by != RankedBy::kCount,
                   .usage = UsageOf(pod, signal, layout),
                   .critical = pod.facts->IsProtected() && !pod.facts->IsSpared(),
                   .may_go = IsCandidate(pod, signal, layout, candidates)};
  ranked.keeps_to_request = !ranked.may_go && MayGo(pod, signal);
  if (row.requested) ranked.request = WholeUnits(RequestFor(*pod.facts, resource));
  if (pod.stats != nullptr) ranked.excess = WholeUnits(-key.negated_excess);
  return ranked;
}

StorageLimitFacts FactsOf(const ActivePod& pod, std::size_t place, bool broken, DiskLayout layout) {
  const StorageLimit& limit = pod.facts->storage_limits[place];
  StorageLimitFacts facts{.pod = IdentityOf(pod.facts->pod),
                          .kind = limit.kind,
                          .name = limit.name,
                          .limit = WholeUnits(limit.limit.ToNanos()),
                          .broken = broken};
  if (pod.stats != nullptr) facts.used = LimitedUse(*pod.stats, limit, layout);
  return facts;
}

using Role = SignalFigure::Role;
using Figures = std::vector<SignalFigure>;

std::int64_t Signed(std::uint64_t amount) {
  return static_cast<std::int64_t>(amount);
}

void AddMemory(const MemoryStats& memory, const Observation& seen, MemoryEstimator estimator,
               Figures& figures) {
  const std::int64_t working_set = seen.capacity - seen.available;
  if (memory.usage_bytes && Signed(*memory.usage_bytes) >= working_set) {
    const bool active_too = estimator == MemoryEstimator::kAvailable;
    figures.push_back({"usage", "usage", Role::kTerm, Signed(*memory.usage_bytes)});
    figures.push_back({active_too ? "fileCache" : "inactiveFile",
                       active_too ? "file cache" : "inactive file", Role::kSubtracted,
                       Signed(*memory.usage_bytes) - working_set});
    figures.push_back({"workingSet", "working set", Role::kResult, working_set});
  }
  figures.push_back({"capacity", "capacity", Role::kTerm, seen.capacity});
  figures.push_back({"workingSet", "working set", Role::kSubtracted, working_set});
}

// What is neither used nor available is reserved for root.
void AddBytes(const FsStats& fs, const Observation& seen, Figures& figures) {
  figures.push_back({"capacity", "capacity", Role::kTerm, seen.capacity});
  if (!fs.used_bytes) return;
  const std::int64_t reserved = seen.capacity - Signed(*fs.used_bytes) - seen.available;
  figures.push_back({"used", "used", Role::kSubtracted, Signed(*fs.used_bytes)});
  if (reserved != 0) {
    figures.push_back({"reserved", "reserved for root", Role::kSubtracted, reserved});
  }
}

void AddTaken(std::string_view capacity, std::string_view taken, const Observation& seen,
              Figures& figures) {
  figures.push_back({"capacity", capacity, Role::kTerm, seen.capacity});
  figures.push_back({"used", taken, Role::kSubtracted, seen.capacity - seen.available});
}

// Adds the terms from which the available amount is calculated.
void AddTerms(Signal signal, const NodeStats& node, MemoryEstimator estimator,
              const Observation& seen, Figures& figures) {
  if (IsPressure(signal)) return AddTaken("all of the time", "lost to stalls", seen, figures);
  const ResourceRow& row = RowOf(ResourceOf(signal));
  if (row.resource == Resource::kMemory) {
    AddMemory(RowOf(signal).of_pods ? *node.pods_memory : *node.memory, seen, estimator, figures);
  } else if (row.resource == Resource::kEphemeralStorage) {
    AddBytes(*FileSystemOf(signal, node), seen, figures);
  } else {
    AddTaken(row.all, row.taken, seen, figures);
  }
}

// Each threshold as an evaluation at `now` found it.
std::vector<ThresholdFacts> FactsOf(std::span<const Threshold> thresholds,
                                    const Observations& observations, const Evaluation& evaluation,
                                    Instant now) {
  const ThresholdSet below = ThresholdsMet(thresholds, observations, /*enforce_min_reclaim=*/false);
  std::vector<ThresholdFacts> all;
  all.reserve(thresholds.size());
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    ThresholdFacts facts{.threshold = thresholds[i],
                         .seen = observations[thresholds[i].signal],
                         .met = evaluation.met[i],
                         .by_min_reclaim = evaluation.met[i] && !below[i],
                         .acting = evaluation.acting[i],
                         .in_margin = evaluation.in_margin[i],
                         .since = evaluation.next.first_observed_at[i]};
    if (facts.seen) {
      const std::int64_t capacity = facts.seen->capacity;
      const Quantity line = QuantityOf(facts.threshold.value, capacity);
      const auto& reclaim = facts.threshold.min_reclaim;
      facts.line = line.Value();
      if (reclaim) facts.end = (line + QuantityOf(*reclaim, capacity)).Value();
    }
    if (facts.since) {
      facts.met_for = Elapsed(*facts.since, now);
      if (!evaluation.overdue[i]) facts.grace_left = facts.threshold.grace_period - *facts.met_for;
    }
    all.push_back(std::move(facts));
  }
  return all;
}

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
  return index ? IdentityOf(pods[*index].facts->pod)
               : PodIdentity{.namespace_ = "", .name = "", .uid = uid};
}

template <typename Record>
std::vector<OfPod<Record>> Named(const std::vector<Record>& records, std::string Record::*uid,
                                 std::span<const ActivePod> pods) {
  std::vector<OfPod<Record>> named;
  for (const Record& each : records) named.push_back({IdentityIn(pods, each.*uid), each});
  return named;
}

std::vector<Holders> HoldersIn(const RecordedPass& pass, std::span<const ActivePod> pods) {
  const auto& acting_for = pass.report.acting_for;
  if (!acting_for) return {};
  const bool of_memory = pass.pace && ResourceOf(pass.pace->signal) == Resource::kMemory;
  const auto holders = HoldersOf(acting_for->signal, pass.summary.node, pods, pass.policy->layout,
                                 of_memory ? pass.pace->ending : 0);
  return holders ? std::vector{*holders} : std::vector<Holders>{};
}

ReclaimFacts ReclaimOf(const CycleReport& report) {
  ReclaimFacts facts{.attempted = report.reclaim_attempted,
                     .errors = report.reclaim_errors,
                     .under_way = report.reclaim_under_way,
                     .relieved = report.relieved_by_reclaim};
  if (!report.after_reclaim) return facts;
  facts.available_before = report.observations[report.acting_for->signal]->available;
  facts.available_after = report.after_reclaim->available;
  return facts;
}

}  // namespace

PodOrder OrderOf(std::span<const ActivePod> pods, Signal signal, DiskLayout layout,
                 Candidates candidates, std::optional<std::size_t> chosen, std::size_t limit) {
  const std::vector<std::size_t> ranked = RankedPods(pods, signal, layout);
  const auto at = chosen ? std::ranges::find(ranked, *chosen) : ranked.begin();
  // The chosen one is in the middle of the part, if possible.
  const auto place = static_cast<std::size_t>(at - ranked.begin());
  const std::size_t before = std::min(place, limit / 2);
  const std::size_t begin =
      ranked.size() <= limit ? 0 : std::min(place - before, ranked.size() - limit);
  const std::size_t end = begin + std::min(limit, ranked.size() - begin);
  PodOrder order{.signal = signal, .total = ranked.size(), .pods = {}};
  order.pods.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const ActivePod& pod = pods[ranked[i]];
    const RankKey key = RankOf(pod, signal, layout);
    RankedPod& shown = order.pods.emplace_back(Describe(pod, key, signal, layout, candidates));
    shown.place = i + 1;
    shown.chosen = chosen == ranked[i];
    if (i + 1 == ranked.size()) continue;
    shown.decided_by = DecidingField(key, RankOf(pods[ranked[i + 1]], signal, layout));
  }
  return order;
}

std::vector<StorageLimitFacts> StorageLimitsOf(const ActivePod& pod, DiskLayout layout,
                                               const std::optional<StorageViolation>& broken) {
  std::vector<StorageLimitFacts> limits;
  for (std::size_t i = 0; i < pod.facts->storage_limits.size(); ++i) {
    limits.push_back(FactsOf(pod, i, broken && broken->index == i, layout));
  }
  return limits;
}

SignalReading ReadingOf(Signal signal, const Summary& summary, MemoryEstimator estimator) {
  SignalReading reading{.signal = signal, .seen = ObservationsFrom(summary)[signal], .figures = {}};
  if (!reading.seen) return reading;
  const Observation& seen = *reading.seen;
  Figures& figures = reading.figures;
  AddTerms(signal, summary.node, estimator, seen, figures);
  figures.push_back({"available", "available", Role::kResult, seen.available});
  return reading;
}

PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options) {
  const CycleReport& report = pass.report;
  const DiskLayout layout = pass.policy->layout;
  DecisionInputs inputs{.policy = *pass.policy,
                        .before = pass.before,
                        .now = report.at,
                        .seen = report.observations,
                        .pods = {},
                        .pace = pass.pace};
  std::vector<const PodFacts*> all;
  for (const auto& facts : pass.pods) all.push_back(facts.get());
  inputs.pods = JoinStats(all, pass.summary);
  if (pass.after_reclaim) inputs.after_reclaim = ObservationsFrom(*pass.after_reclaim);
  const std::vector<ActivePod>& pods = inputs.pods;
  const PassDecision decided = DecisionFor(inputs);
  const Decision& decision = decided.decision;
  PassExplanation explanation{.id = options.id,
                              .at = report.at,
                              .pass = pass.number,
                              .hypothetical = options.hypothetical,
                              .dry_run = options.dry_run,
                              .outcome = OutcomeOf(report),
                              .conditions = report.conditions(),
                              .reclaim = ReclaimOf(report)};
  if (!options.subject_uid.empty()) explanation.subject = IdentityIn(pods, options.subject_uid);
  explanation.thresholds =
      FactsOf(pass.policy->thresholds, report.observations, report.evaluation, report.at);
  if (report.acting_for && decision.threshold) {
    explanation.threshold = decision.threshold;
    explanation.signal =
        ReadingOf(report.acting_for->signal, pass.summary, options.memory_estimator);
  }
  for (const StorageViolation& violation : decision.violations) {
    explanation.limits.push_back(FactsOf(pods[violation.pod], violation.index, true, layout));
  }
  if (report.ranked_for) {
    explanation.order =
        OrderOf(pods, *report.ranked_for, layout,
                decision.threshold ? CandidatesFor(*decision.threshold, report.evaluation)
                                   : Candidates::kAll,
                decision.victim, options.order_limit);
  }
  explanation.survivors = Named(report.survivors, &SurvivorRecord::pod_uid, pods);
  explanation.stale_disk = Named(report.stale_disk, &StaleDiskRecord::pod_uid, pods);
  for (const EvictionRecord& record : report.evictions) {
    explanation.evicted.push_back({{IdentityIn(pods, record.order.pod_uid), record}, ""});
    const auto index = IndexOf(pods, record.order.pod_uid);
    if (!report.ranked_for || !index) continue;
    explanation.evicted.back().counted = CountedText(pods[*index], *report.ranked_for, layout);
  }
  if (report.pause) {
    explanation.pause =
        OfPod<EvictionPause>{IdentityIn(pods, report.pause->pod_uid), *report.pause};
  }
  explanation.spared = Named(report.spared, &SparedPod::uid, pods);
  std::erase_if(explanation.spared,
                [&](const auto& spared) { return !IndexOf(pods, spared.record.uid); });
  explanation.early_kills = Named(report.early_kills, &EarlyKill::pod_uid, pods);
  explanation.holders = HoldersIn(pass, pods);
  if (explanation.outcome == PassOutcome::kEvicted && decision.victim && !decided.pause) {
    explanation.otherwise = OtherwiseFor(inputs, decision);
    for (Otherwise& each : explanation.otherwise) {
      each.text = SentenceOf(each, SignalOf(explanation), explanation.hypothetical);
    }
  }
  return explanation;
}

}  // namespace jettison
