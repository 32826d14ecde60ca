#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "api/overview/overview.h"
#include "core/decide/decide.h"
#include "core/decide/ranking.h"
#include "core/pods/admission.h"
#include "core/pods/pod_facts.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

std::int64_t Units(Nanos nanos) {
  return static_cast<std::int64_t>(nanos / kNanosPerUnit);
}

std::optional<std::int64_t> Signed(std::optional<std::uint64_t> amount) {
  if (!amount) return std::nullopt;
  return static_cast<std::int64_t>(*amount);
}

bool TakesUpResources(const PodView& view) {
  return view.activity == PodActivity::kStarting || view.activity == PodActivity::kRunning;
}

// A container that is only being created has no message.
void TellWait(const PodView& view, OverviewPod& pod) {
  if (!TakesUpResources(view)) return;
  if (view.status.phase == PodPhase::kPending && !view.status.message.empty()) {
    pod.waiting_reason = "FailedCreatePodSandBox";
    pod.waiting_message = view.status.message;
    return;
  }
  for (const ContainerStatus& container : view.status.containers) {
    const auto* waiting = std::get_if<ContainerWaiting>(&container.state);
    if (waiting == nullptr || waiting->message.empty()) continue;
    pod.waiting_reason = waiting->reason;
    pod.waiting_message = waiting->message;
    return;
  }
}

OverviewPod PodOf(const PodView& view) {
  OverviewPod pod;
  pod.namespace_ = view.namespace_;
  pod.name = view.name;
  pod.uid = view.uid;
  pod.qos = NameOf(view.qos);
  pod.priority = view.priority;
  pod.critical = view.protection == Protection::kCritical;
  pod.protection = NameOf(view.protection);
  pod.source = NameOf(view.source);
  pod.activity = NameOf(view.activity);
  pod.phase = NameOf(view.status.phase);
  pod.reason = view.status.reason;
  pod.memory_bytes = Signed(view.memory_working_set_bytes);
  if (view.facts) pod.request_bytes = Units(view.facts->memory_request);
  pod.processes = Signed(view.process_count);
  if (view.ephemeral_storage) pod.ephemeral_bytes = Signed(view.ephemeral_storage->used_bytes);
  pod.evictions = view.evictions;
  pod.refused_for = view.refused_for;
  TellWait(view, pod);
  return pod;
}

// When a condition ends at the earliest. Absent: it was observed in the last pass, so that is open.
std::optional<Instant> EndOf(NodeConditionType type, const Snapshot& snapshot) {
  if (!snapshot.last_report || !snapshot.policy) return std::nullopt;
  const auto& observed_at =
      snapshot.last_report->evaluation.next.condition_last_observed_at[IndexOf(type)];
  if (!observed_at || *observed_at >= snapshot.last_report->at) return std::nullopt;
  return *observed_at + snapshot.policy->pressure_transition_period;
}

// When the last of the conditions that refuse a pod ends. Absent: one of them has no end yet, or
// the pod lacks room. A condition refuses by itself or not at all (Admit).
std::optional<Instant> RefusedUntil(const PodView& view, const Snapshot& snapshot) {
  if (!view.facts || !snapshot.node) return std::nullopt;
  std::optional<Instant> until;
  for (const NodeConditionType type : kAllNodeConditions) {
    NodeConditions alone;
    alone.Set(type);
    if (!snapshot.conditions.Has(type)) continue;
    if (Admit(view.facts->pod, alone, snapshot.node->config.profile).admit) continue;
    const auto end = EndOf(type, snapshot);
    if (!end) return std::nullopt;
    until = std::max(until.value_or(*end), *end);
  }
  return until;
}

// When an evicted pod may be started again, and why not sooner.
struct Return {
  std::optional<Instant> at;  // absent: not known
  std::string after;
};

// The return of a pod that waits for no other one.
Return OwnReturn(const PodView& view, const Snapshot& snapshot) {
  const Return after_back_off{.at = view.comes_back_at, .after = "back-off"};
  if (!view.facts || !snapshot.node || !snapshot.last_report) return after_back_off;
  if (snapshot.last_report->evaluation.overdue.any()) return {.at = {}, .after = "threshold met"};
  const AdmissionAnswer answer =
      Admit(view.facts->pod, snapshot.conditions, snapshot.node->config.profile);
  if (answer.admit) return after_back_off;
  const auto until = RefusedUntil(view, snapshot);
  if (until && *until <= *view.comes_back_at) return after_back_off;
  return {.at = until, .after = answer.refused_for};
}

// Pods of lower priority return after those of the highest.
void TellReturn(const PodView& view, const Snapshot& snapshot, OverviewPod& pod) {
  if (!view.comes_back_at) return;
  const PodView* first = &view;
  for (const PodView& other : snapshot.pods) {
    if (other.comes_back_at && other.priority > first->priority) first = &other;
  }
  Return back = OwnReturn(view, snapshot);
  if (first != &view && back.at) {
    const auto before = OwnReturn(*first, snapshot).at;
    if (!before || *before > *back.at) {
      back = {.at = before, .after = first->namespace_ + "/" + first->name};
    }
  }
  pod.comes_back_at = back.at;
  pod.comes_back_after = back.after;
}

// What the key of a pod says of its figures.
void AddRank(const RankKey& key, Signal signal, OverviewPod& pod) {
  pod.excess = Units(-key.negated_excess);
  const bool of_counts = RowOf(ResourceOf(signal)).ranked_by == RankedBy::kCount;
  pod.over_request = !of_counts && !key.within_request;
}

// The views that can be ranked beside their statistics.
struct Ranked {
  std::vector<const PodView*> views;
  std::vector<ActivePod> pods;
};

Ranked RankedViews(const Snapshot& snapshot) {
  std::map<std::string_view, const PodStats*> by_uid;
  if (snapshot.summary) {
    for (const PodStats& stats : snapshot.summary->pods) by_uid[stats.uid] = &stats;
  }
  Ranked ranked;
  for (const PodView& view : snapshot.pods) {
    const auto stats = by_uid.find(view.uid);
    if (!TakesUpResources(view) || !view.facts || stats == by_uid.end()) continue;
    ranked.views.push_back(&view);
    ranked.pods.push_back({view.facts.get(), stats->second});
  }
  return ranked;
}

}  // namespace

std::vector<OverviewPod> PodsInOrder(const Snapshot& snapshot, Signal signal) {
  const DiskLayout layout = snapshot.policy ? snapshot.policy->layout : DiskLayout{};
  const Candidates candidates =
      snapshot.policy && snapshot.last_report
          ? CandidatesFor(signal, snapshot.policy->thresholds, snapshot.last_report->evaluation)
          : Candidates::kAll;
  const Ranked ranked = RankedViews(snapshot);
  std::vector<OverviewPod> pods;
  std::map<const PodView*, const ActivePod*> staying;
  std::set<const PodView*> going;
  std::optional<RankKey> before;
  for (const std::size_t i : RankedPods(ranked.pods, signal, layout)) {
    if (!IsCandidate(ranked.pods[i], signal, layout, candidates)) {
      staying.emplace(ranked.views[i], &ranked.pods[i]);
      continue;
    }
    const RankKey key = RankOf(ranked.pods[i], signal, layout);
    if (before) pods.back().why = DecidingField(*before, key);
    before = key;
    OverviewPod& pod = pods.emplace_back(PodOf(*ranked.views[i]));
    AddRank(key, signal, pod);
    pod.place = static_cast<std::int64_t>(pods.size());
    going.insert(ranked.views[i]);
  }
  const auto placed = static_cast<std::ptrdiff_t>(pods.size());
  for (const PodView& view : snapshot.pods) {
    if (going.contains(&view)) continue;
    OverviewPod& pod = pods.emplace_back(PodOf(view));
    if (!view.refused_for.empty()) pod.refused_until = RefusedUntil(view, snapshot);
    TellReturn(view, snapshot, pod);
    const auto found = staying.find(&view);
    if (found != staying.end()) AddRank(RankOf(*found->second, signal, layout), signal, pod);
  }
  std::stable_partition(pods.begin() + placed, pods.end(),
                        [](const OverviewPod& pod) { return pod.excess.has_value(); });
  return pods;
}

}  // namespace jettison
