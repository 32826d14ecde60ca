#include "api/overview/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/event.h"
#include "core/report/cycle_report.h"
#include "core/thresholds/threshold_settings.h"

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
                      .type = NameOf(entry->event.type),
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
