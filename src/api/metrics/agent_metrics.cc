#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "api/metrics/metrics.h"
#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"
#include "core/observe/observations.h"
#include "core/shadow/shadow_book.h"
#include "view/snapshot.h"

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

void WriteSignals(const Snapshot& snapshot, Instant since, MetricsWriter& writer) {
  const Observations now = snapshot.summary ? ObservationsFrom(*snapshot.summary) : Observations();
  const auto write = [&](std::string_view name, std::string_view help, auto figure) {
    writer.Family(name, kGauge, help);
    for (const Signal signal : kAllSignals) {
      if (!now[signal]) continue;
      const std::int64_t amount = figure(signal, *now[signal]);
      writer.Sample({{"signal", NameOf(signal)}}, AmountOf(signal, amount));
    }
  };
  write("jettison_signal_available",
        "Available amount of the eviction signal, in its unit: bytes, inodes, process IDs, or the "
        "share of time without stalls.",
        [](Signal, const Observation& seen) { return seen.available; });
  write("jettison_signal_capacity", "Capacity of the eviction signal, in its unit.",
        [](Signal, const Observation& seen) { return seen.capacity; });
  write("jettison_signal_available_min",
        "Least available amount of the eviction signal since the scrape before.",
        [&](Signal signal, const Observation& last) {
          std::int64_t least = last.available;
          for (const SignalSample& sample : snapshot.history) {
            if (sample.at <= since || !sample.known[IndexOf(signal)]) continue;
            least = std::min(least, sample.available[IndexOf(signal)]);
          }
          for (const auto& pass : snapshot.cycles) {
            const auto& seen = pass->report.observations[signal];
            if (pass->report.at > since && seen) least = std::min(least, seen->available);
          }
          return least;
        });
}

void WriteThresholds(const Snapshot& snapshot, MetricsWriter& writer) {
  const std::vector<const ThresholdView*> lines = Lines(snapshot);
  const auto write = [&](std::string_view name, std::string_view help, auto figure) {
    writer.Family(name, kGauge, help);
    for (const ThresholdView* view : lines) {
      const auto value = figure(*view);
      if (!value) continue;
      const Threshold& threshold = view->threshold;
      writer.Sample({{"kind", KindOf(threshold)}, {"signal", NameOf(threshold.signal)}}, *value);
    }
  };
  write("jettison_threshold_amount",
        "The threshold below which the available amount is too small, in the unit of the signal.",
        LineOf);
  write("jettison_threshold_met",
        "1 while the threshold is met, or was met and its minimum reclaim is not reached yet.",
        [](const ThresholdView& view) { return std::optional(view.met); });
  write("jettison_threshold_overdue",
        "1 while the threshold has been met for its whole grace period.",
        [](const ThresholdView& view) { return std::optional(view.overdue); });
  write("jettison_time_to_threshold_seconds",
        "Time until the threshold is met at the trend of the last seconds; there is no sample "
        "while there is no such trend, while it does not lead there within an hour, or while the "
        "threshold is met.",
        [](const ThresholdView& view) {
          return view.time_to ? std::optional(SecondsOf(*view.time_to)) : std::nullopt;
        });
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
                  SecondsOf(view.last_transition.time_since_epoch()));
  }
}

void WriteState(const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Family("jettison_build_info", kGauge, "Version and compiler of the program. Always 1.");
  writer.Sample({{"compiler", __VERSION__}, {"version", JETTISON_VERSION}}, 1);
  writer.Family("jettison_dry_run", kGauge,
                "1 in a dry run, in which the agent decides everything and evicts no pod.");
  if (snapshot.node) writer.Sample(snapshot.node->config.dry_run);
  writer.Gauge("jettison_waiting_for_cleanup",
               "1 while evicted pods are being cleaned up, which delays other evictions.",
               snapshot.waiting_for_cleanup);
  writer.Gauge("jettison_reclaim_under_way",
               "1 while dead containers or unused images are being removed to free disk space.",
               snapshot.reclaim_under_way);
  writer.Family("jettison_last_pass_timestamp_seconds", kGauge, "When the last pass was made.");
  if (snapshot.last_report) writer.Sample(SecondsOf(snapshot.last_report->at.time_since_epoch()));
  writer.Family("jettison_last_full_pass_timestamp_seconds", kGauge,
                "When the last pass was made that also measured disk use.");
  if (snapshot.pods_measured_at) {
    writer.Sample(SecondsOf(snapshot.pods_measured_at->time_since_epoch()));
  }
}

void WritePasses(const PassCounters& counters, MetricsWriter& writer) {
  writer.Family(
      "jettison_pass_duration_seconds", kHistogram,
      "Duration of a pass, from its first reading to its last log line, without measuring the "
      "disk use of pods.");
  for (const PassKind kind : kAllOf<PassKind>) {
    writer.Observed({{"kind", NameOf(kind)}},
                    counters.duration[static_cast<std::size_t>(kind)].View());
  }
  writer.Counter("jettison_looks_total", "Checks of memory alone, between passes.", counters.looks);
  writer.Counter("jettison_memory_notifications_total",
                 "Notifications from the kernel that memory use has reached a level.",
                 counters.memory_notifications);
  writer.Observed("jettison_detection_latency_seconds",
                  "Time from the wake-up that led to an eviction until the pod was told to end.",
                  counters.detection_latency.View());
}

void WriteVictims(const Snapshot& snapshot, const PassCounters& counters, MetricsWriter& writer) {
  WriteByCause("jettison_dry_run_victims_total",
               "Evictions that a dry run has decided on; a pod counts once in each pass.", snapshot,
               counters.dry_run_victims, writer);
  writer.ByName<PaceReason>("jettison_eviction_waits_total", kCounter,
                            "Evictions that waited because of the pace of evictions, by reason.",
                            "reason", counters.waits);
  writer.Counter("jettison_early_kills_total",
                 "Pods that were killed before their grace period was over, because what was left "
                 "would not have lasted that long.",
                 counters.early_kills);
  writer.Counter("jettison_eviction_errors_total",
                 "Evictions that were decided on and could not be carried out.",
                 counters.eviction_errors);
}

void WriteReclaim(const NodeCounters& counters, MetricsWriter& writer) {
  writer.ByName<ReclaimStep>("jettison_reclaims_total", kCounter,
                             "Reclaims that passes started, by step.", "step",
                             counters.passes.reclaims);
  writer.Counter("jettison_reclaim_errors_total", "Errors during reclaims.",
                 counters.passes.reclaim_errors);
  writer.ByName<ReclaimStep>("jettison_reclaimed_bytes_total", kCounter,
                             "Bytes freed on the image file system, as measured, by step.", "step",
                             std::array{counters.container_bytes, counters.images.freed_bytes});
  writer.Counter("jettison_dead_containers_removed_total", "Dead containers that were removed.",
                 counters.pods.dead_containers_removed);
}

void WriteTroubles(const NodeCounters& counters, MetricsWriter& writer) {
  writer.Counter("jettison_kills_exceeded_grace_period_total",
                 "Pods that were still alive long after their grace period was over.",
                 counters.pods.late_kills);
  writer.Family("jettison_runtime_errors_total", kCounter,
                "Operations that the container runtime failed at or did not answer, by operation.");
  const auto sample = [&](std::string_view operation, std::uint64_t count) {
    writer.Sample({{"operation", operation}}, count);
  };
  sample("connect", counters.runtime_unready);
  sample("create_pod", counters.pods.started_pods_errors);
  sample("list_images", counters.images.list_errors);
  sample("remove_image", counters.images.remove_errors);
  sample("start_container", counters.pods.StartErrors());
  writer.Counter(
      "jettison_log_lines_dropped_total",
      "Lines of the agent's log that were lost because they could not be written in time.",
      counters.log_lines_lost);
}

// Absent where nothing is recorded.
void WriteRecording(const Snapshot& snapshot, MetricsWriter& writer) {
  if (!snapshot.recording) return;
  const RecorderCounters counters = snapshot.recording->counters();
  writer.Counter("jettison_recorded_passes_total", "Passes that were recorded.", counters.passes);
  writer.Counter("jettison_recorder_dropped_total",
                 "Passes and OOM kills that were not recorded because the recorder was too slow.",
                 counters.dropped);
  writer.Counter("jettison_recorder_written_bytes_total",
                 "Bytes of chunks that were written to the recording.", counters.bytes);
  writer.Counter("jettison_recorder_write_errors_total",
                 "Chunks that could not be written to the recording.", counters.write_errors);
}

void WriteShadow(const ShadowCounters* counters, MetricsWriter& writer) {
  writer.Family("jettison_shadow_agreements_total", kCounter,
                "Pods that a dry run would have evicted before the kubelet evicted them.");
  if (counters != nullptr) writer.Sample(counters->Of(ShadowVerdict::kAgreed));
  writer.Family("jettison_shadow_disagreements_total", kCounter,
                "Evictions in which a dry run and the kubelet differ, by kind of difference.");
  for (const ShadowVerdict verdict : kAllOf<ShadowVerdict>) {
    if (counters == nullptr || verdict == ShadowVerdict::kAgreed) continue;
    writer.Sample({{"kind", NameOf(verdict)}}, counters->Of(verdict));
  }
  writer.Family("jettison_shadow_lead_seconds", kHistogram,
                "Time by which the dry run was earlier than the kubelet, for evictions in which "
                "the two agree.");
  if (counters == nullptr) return;
  writer.Observed(
      {},
      {.bounds = kShadowLeadBounds, .classes = counters->lead_classes, .sum = counters->lead_sum});
}

}  // namespace

void WriteAgentMetrics(const Snapshot& snapshot, const NodeCounters& counters, Instant since,
                       MetricsWriter& writer) {
  WriteSignals(snapshot, since, writer);
  WriteThresholds(snapshot, writer);
  WriteConditions(snapshot, writer);
  WriteState(snapshot, writer);
  WritePasses(counters.passes, writer);
  WriteVictims(snapshot, counters.passes, writer);
  WriteReclaim(counters, writer);
  WriteRecording(snapshot, writer);
  WriteTroubles(counters, writer);
  writer.Observed("jettison_disk_walk_duration_seconds",
                  "Duration of measuring the disk use of all pods, including pauses.",
                  counters.walks.duration.View());
  writer.Counter("jettison_disk_walk_directories_total",
                 "Directories read to measure the disk use of pods.", counters.walks.directories);
  writer.Counter("jettison_disk_walk_trees_total",
                 "Directory trees read as a whole to measure the disk use of pods, not only where "
                 "something had changed.",
                 counters.walks.trees);
  WriteShadow(snapshot.shadow ? &snapshot.shadow->counters : nullptr, writer);
  writer.Family("jettison_cluster_evictions_under_way", kGauge,
                "Evictions that have not been fully reported to the API server yet.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->evictions_under_way);
  writer.Family("jettison_cluster_events_dropped_total", kCounter,
                "Events that were not reported to the API server.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->events_dropped);
}

}  // namespace jettison
