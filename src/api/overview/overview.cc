#include "api/overview/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <variant>

#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/eviction.h"
#include "core/pass/pass.h"
#include "core/pods/admission.h"
#include "core/pods/pod_facts.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::size_t kEvents = 50;
constexpr std::size_t kEvictions = 8;  // are shown beside them, however old

std::optional<std::int64_t> AmountOf(const ThresholdView& view) {
  if (const auto* quantity = std::get_if<Quantity>(&view.threshold.value)) {
    return quantity->Value();
  }
  if (!view.observation) return std::nullopt;
  return QuantityOf(view.threshold.value, view.observation->capacity).Value();
}

OverviewThreshold ThresholdOf(const ThresholdView& view) {
  const Threshold& threshold = view.threshold;
  return {.hard = threshold.IsHard(),
          .value = ThresholdText(threshold.signal, threshold.value),
          .amount = AmountOf(view),
          .min_reclaim =
              threshold.min_reclaim ? ThresholdText(threshold.signal, *threshold.min_reclaim) : "",
          .grace_period = threshold.grace_period,
          .met = view.met,
          .overdue = view.overdue,
          .since = view.since,
          .time_to = view.time_to};
}

std::vector<OverviewSignal> SignalsOf(const Snapshot& snapshot) {
  std::map<Signal, OverviewSignal> signals;
  for (const ThresholdView& view : snapshot.thresholds) {
    const auto [found, is_new] = signals.try_emplace(view.threshold.signal);
    OverviewSignal& signal = found->second;
    if (is_new) {
      signal.signal = view.threshold.signal;
      if (view.trend) signal.trend_per_second = std::llround(*view.trend);
      if (view.observation) {
        signal.available = view.observation->available;
        signal.capacity = view.observation->capacity;
      }
    }
    signal.thresholds.push_back(ThresholdOf(view));
  }
  std::vector<OverviewSignal> list;
  for (auto& [name, signal] : signals) {
    std::ranges::stable_sort(signal.thresholds, [](const auto& a, const auto& b) {
      return std::tuple(!a.hard, a.amount) < std::tuple(!b.hard, b.amount);
    });
    list.push_back(std::move(signal));
  }
  return list;
}

std::vector<OverviewEvent> EventsOf(const std::vector<LoggedEvent>& logged) {
  std::vector<OverviewEvent> events;
  std::size_t evictions = 0;
  for (auto entry = logged.rbegin(); entry != logged.rend(); ++entry) {
    const bool is_eviction =
        TellsOfEviction(entry->event.reason, entry->refused_for) && evictions++ < kEvictions;
    if (events.size() >= kEvents && !is_eviction) continue;
    events.push_back({.at = entry->at,
                      .count = entry->times,
                      .type = std::string(NameOf(entry->event.type)),
                      .object = entry->pod.empty() ? "node" : entry->pod,
                      .reason = entry->event.reason,
                      .message = entry->event.message,
                      .refused_for = entry->refused_for});
  }
  std::ranges::reverse(events);
  return events;
}

void AddHeld(const Snapshot& snapshot, Overview& overview) {
  for (const Holders& holders : snapshot.holders) {
    const bool is_short = std::ranges::any_of(snapshot.thresholds, [&](const ThresholdView& view) {
      return view.met && ResourceOf(view.threshold.signal) == ResourceOf(holders.signal);
    });
    if (!is_short || !AreOthers(holders)) continue;
    const bool is_memory = ResourceOf(holders.signal) == Resource::kMemory;
    (is_memory ? overview.memory_held : overview.disk_held) = TextOf(holders);
  }
}

std::string EvictionWaitsIn(const Snapshot& snapshot) {
  if (!snapshot.pause) return "";
  const auto pod = std::ranges::find(snapshot.pods, snapshot.pause->pod_uid, &PodView::uid);
  const std::string name =
      pod == snapshot.pods.end() ? snapshot.pause->pod_uid : pod->namespace_ + "/" + pod->name;
  return fmt::format("{} until {} at the latest: {}", name, FormatInstant(snapshot.pause->until),
                     TextOf(snapshot.pause->reason));
}

// How much of what lies between nothing used and the threshold is still there: 1 all, 0 at the
// threshold, negative beyond. Absent: not known.
std::optional<double> Headroom(const ThresholdView& view) {
  const auto amount = AmountOf(view);
  if (!view.observation || !amount) return std::nullopt;
  const auto before = static_cast<double>(view.observation->capacity - *amount);
  if (before <= 0) return std::nullopt;
  return static_cast<double>(view.observation->available - *amount) / before;
}

std::int64_t Units(Nanos nanos) {
  return static_cast<std::int64_t>(nanos / kNanosPerUnit);
}

std::optional<std::int64_t> Signed(std::optional<std::uint64_t> amount) {
  if (!amount) return std::nullopt;
  return static_cast<std::int64_t>(*amount);
}

// A container that is only being created has no message.
void TellWait(const PodView& view, OverviewPod& pod) {
  const bool runs =
      view.activity == PodActivity::kStarting || view.activity == PodActivity::kRunning;
  if (!runs) return;
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

}  // namespace

OverviewPass OverviewPassOf(const CycleReport& report) {
  OverviewPass pass{.at = report.at,
                    .acting_for = {},
                    .evictions = {},
                    .reclaim_steps = {},
                    .reclaim_under_way = report.reclaim_under_way,
                    .relieved_by_reclaim = report.relieved_by_reclaim};
  if (report.acting_for) pass.acting_for = NameOf(report.acting_for->signal);
  for (const EvictionRecord& eviction : report.evictions) {
    pass.evictions.push_back(eviction.order.pod_uid);
  }
  for (const ReclaimStep step : report.reclaim_attempted) {
    pass.reclaim_steps.emplace_back(NameOf(step));
  }
  return pass;
}

Signal NearestSignal(const std::vector<ThresholdView>& thresholds) {
  std::vector<Threshold> plain;
  ThresholdSet met;
  std::optional<std::pair<double, Signal>> nearest;
  for (const ThresholdView& view : thresholds) {
    met[plain.size()] = view.met;
    plain.push_back(view.threshold);
    const auto headroom = Headroom(view);
    if (headroom && (!nearest || *headroom < nearest->first)) {
      nearest.emplace(*headroom, view.threshold.signal);
    }
  }
  if (const auto urgent = MostUrgent(plain, met)) return plain[*urgent].signal;
  return nearest ? nearest->second : Signal::kMemoryAvailable;
}

NodeNow NodeNowOf(const Snapshot& snapshot) {
  NodeNow node{.at = snapshot.at,
               .passes = snapshot.passes,
               .policy = snapshot.policy,
               .summary = snapshot.summary,
               .waiting_for_cleanup = snapshot.waiting_for_cleanup,
               .pace = snapshot.pace};
  if (snapshot.last_report) {
    node.state = snapshot.last_report->evaluation.next;
    node.spared = snapshot.last_report->spared;
  }
  for (const ThresholdView& view : snapshot.thresholds) node.time_to.push_back(view.time_to);
  if (snapshot.node) {
    node.profile = snapshot.node->config.profile;
    node.memory_estimator = snapshot.node->config.memory_estimator;
  }
  std::unordered_set<std::string_view> measured;
  for (const PodStats& stats : snapshot.summary->pods) measured.insert(stats.uid);
  for (const PodView& pod : snapshot.pods) {
    // What is ending would be gone when a pass chooses.
    const bool stays =
        pod.activity == PodActivity::kRunning || pod.activity == PodActivity::kStarting;
    if (stays && measured.contains(pod.uid)) node.pods.push_back(pod.facts);
  }
  return node;
}

std::vector<OverviewPod> PodsInOrder(const Snapshot& snapshot, Signal signal) {
  PodOrder order;
  PodOrder going;  // without those that are not evicted
  if (snapshot.summary && snapshot.policy) {
    NodeNow node = NodeNowOf(snapshot);
    order = OrderNow(node, signal);
    std::set<std::string_view> staying;
    for (const RankedPod& pod : order.pods) {
      if (!pod.may_go) staying.insert(pod.pod.uid);
    }
    std::erase_if(node.pods, [&](const auto& pod) { return staying.contains(pod->pod.uid); });
    going = OrderNow(node, signal);
  }
  std::map<std::string_view, const RankedPod*> ranked;
  for (const RankedPod& pod : going.pods) ranked.emplace(pod.pod.uid, &pod);
  for (const RankedPod& pod : order.pods) ranked.emplace(pod.pod.uid, &pod);
  std::vector<OverviewPod> pods;
  for (const PodView& view : snapshot.pods) {
    OverviewPod& pod = pods.emplace_back(PodOf(view));
    if (!view.refused_for.empty()) pod.refused_until = RefusedUntil(view, snapshot);
    TellReturn(view, snapshot, pod);
    const auto found = ranked.find(view.uid);
    if (found == ranked.end()) continue;
    const RankedPod& rank = *found->second;
    pod.excess = rank.excess;
    pod.over_request = rank.exceeds_request;
    if (!rank.may_go) continue;
    pod.place = static_cast<std::int64_t>(rank.place);
    pod.why = rank.decided_by;
  }
  std::ranges::stable_sort(pods, {}, [](const OverviewPod& pod) {
    return std::tuple(!pod.place, pod.place, !pod.excess);
  });
  return pods;
}

Overview OverviewOf(const Snapshot& snapshot, std::optional<Signal> ranked_for) {
  Overview overview;
  overview.at = snapshot.at;
  overview.version = JETTISON_VERSION;
  if (snapshot.node) {
    overview.node = snapshot.node->config.node_name;
    overview.started_at = snapshot.node->started_at;
    overview.dry_run = snapshot.node->config.dry_run;
  }
  overview.phase = snapshot.waiting_for_cleanup ? "waiting for clean-up"
                   : snapshot.reclaim_under_way ? "reclaim under way"
                                                : "monitoring";
  AddHeld(snapshot, overview);
  overview.eviction_waits = EvictionWaitsIn(snapshot);
  overview.state_problem = snapshot.state_error;
  overview.limits_problem = snapshot.limits_error;
  overview.loop_problem = snapshot.loop_error;
  if (snapshot.node && snapshot.node->config.own_memory_threshold) {
    overview.threshold_notice =
        "the kubelet has no threshold on memory: that of the agent is its own";
  }
  overview.not_guarded = snapshot.not_guarded;
  for (const ConditionView& view : snapshot.condition_views) {
    const NodeConditionText text = TextOf(view.type, view.status);
    overview.conditions.push_back({.type = std::string(text.type),
                                   .status = view.status,
                                   .since = view.last_transition,
                                   .reason = std::string(text.reason),
                                   .message = std::string(text.message)});
  }
  for (const NodeConditionType type : kAllNodeConditions) {
    if (!snapshot.conditions.Has(type) || TaintOf(type).empty()) continue;
    overview.taints.push_back({.key = std::string(TaintOf(type)), .effect = "NoSchedule"});
  }
  overview.signals = SignalsOf(snapshot);
  overview.nearest = NearestSignal(snapshot.thresholds);
  overview.ranked_for = ranked_for.value_or(overview.nearest);
  overview.pods = PodsInOrder(snapshot, overview.ranked_for);
  overview.pods_measured_at = snapshot.pods_measured_at;
  overview.events = EventsOf(snapshot.events);
  overview.passes = snapshot.passes;
  if (snapshot.last_report) overview.last_pass = OverviewPassOf(*snapshot.last_report);
  return overview;
}

std::string OverviewJson(const Overview& overview) {
  std::string text;
  JsonWriter json(text);
  WriteForm(overview, json);
  return text;
}

}  // namespace jettison
