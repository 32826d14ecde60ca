#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "api/metrics/metrics.h"
#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

using enum MetricType;

// Amounts of pressure are shares of time here, 0 to 1; all others stay what they are.
double AmountOf(Signal signal, std::int64_t amount) {
  const auto number = static_cast<double>(amount);
  return IsPressure(signal) ? number / kWholeTime : number;
}

// Absent: a percentage of a capacity that is not known.
std::optional<double> LineOf(const ThresholdView& view) {
  if (!view.observation && std::holds_alternative<Percentage>(view.threshold.value)) {
    return std::nullopt;
  }
  const std::int64_t capacity = view.observation ? view.observation->capacity : 0;
  return AmountOf(view.threshold.signal, QuantityOf(view.threshold.value, capacity).Value());
}

std::string_view KindOf(const Threshold& threshold) {
  return threshold.IsHard() ? "hard" : "soft";
}

// One threshold for each signal and kind. Where there are two, which only the allocatable copy of a
// hard one can bring about, the line that is crossed first counts. A signal that this node does not
// have has none.
std::vector<const ThresholdView*> Lines(const Snapshot& snapshot) {
  std::map<std::pair<Signal, std::string_view>, const ThresholdView*> lines;
  for (const ThresholdView& view : snapshot.thresholds) {
    if (view.has_no_such) continue;
    const ThresholdView*& line = lines[{view.threshold.signal, KindOf(view.threshold)}];
    if (line == nullptr || LineOf(view) > LineOf(*line)) line = &view;
  }
  std::vector<const ThresholdView*> chosen;
  for (const auto& [key, view] : lines) chosen.push_back(view);
  return chosen;
}

void WriteSignals(const Snapshot& snapshot, MetricsWriter& writer) {
  const auto write = [&](std::string_view name, std::string_view help,
                         std::int64_t Observation::*figure) {
    writer.Family(name, kGauge, help);
    if (!snapshot.last_report) return;
    for (const Signal signal : kAllSignals) {
      const auto& seen = snapshot.last_report->observations[signal];
      if (!seen) continue;
      writer.Sample({{"signal", NameOf(signal)}}, AmountOf(signal, (*seen).*figure));
    }
  };
  write("jettison_signal_available",
        "Available amount of the eviction signal, in its unit: bytes, inodes, process IDs, or the "
        "share of time without stalls.",
        &Observation::available);
  write("jettison_signal_capacity", "Capacity of the eviction signal, in its unit.",
        &Observation::capacity);
}

template <typename Figure>
void WriteThresholds(std::string_view name, std::string_view help,
                     const std::vector<const ThresholdView*>& lines, Figure figure,
                     MetricsWriter& writer) {
  writer.Family(name, kGauge, help);
  for (const ThresholdView* view : lines) {
    const auto value = figure(*view);
    if (!value) continue;
    writer.Sample({{"kind", KindOf(view->threshold)}, {"signal", NameOf(view->threshold.signal)}},
                  *value);
  }
}

std::optional<double> TimeTo(const ThresholdView& view) {
  if (!view.time_to) return std::nullopt;
  return std::chrono::duration<double>(*view.time_to).count();
}

void WriteConditions(const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Family("jettison_node_condition", kGauge,
                "1 while the node has the condition, including the transition period.");
  for (const ConditionView& view : snapshot.condition_views) {
    writer.Sample({{"condition", NameOf(view.type)}}, view.status);
  }
  writer.Family("jettison_node_condition_transition_timestamp_seconds", kGauge,
                "When the condition last changed; if it has not changed, when the agent started.");
  for (const ConditionView& view : snapshot.condition_views) {
    writer.Sample({{"condition", NameOf(view.type)}},
                  std::chrono::duration<double>(view.last_transition.time_since_epoch()).count());
  }
}

}  // namespace

void WriteSignalMetrics(const Snapshot& snapshot, MetricsWriter& writer) {
  WriteSignals(snapshot, writer);
  const std::vector<const ThresholdView*> lines = Lines(snapshot);
  WriteThresholds(
      "jettison_threshold_amount",
      "The threshold below which the available amount is too small, in the unit of the signal.",
      lines, LineOf, writer);
  WriteThresholds(
      "jettison_threshold_met",
      "1 while the threshold is met, or was met and its minimum reclaim is not reached yet.", lines,
      [](const ThresholdView& view) { return std::optional(view.met); }, writer);
  WriteThresholds(
      "jettison_threshold_overdue",
      "1 while the threshold has been met for its whole grace period.", lines,
      [](const ThresholdView& view) { return std::optional(view.overdue); }, writer);
  WriteThresholds("jettison_time_to_threshold_seconds",
                  "Time until the threshold is met at the trend of the last seconds; there is no "
                  "sample while there is no such trend, while it does not lead there within an "
                  "hour, or while the threshold is met.",
                  lines, TimeTo, writer);
  WriteConditions(snapshot, writer);
}

}  // namespace jettison
