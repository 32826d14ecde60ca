#include <chrono>

#include "api/metrics/metric_sections.h"
#include "view/recording_desk.h"

namespace jettison {
namespace {

using enum MetricType;

double SecondsOf(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

void WriteState(const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Family("jettison_build_info", kGauge, "The program; always 1.");
  writer.Sample({{"compiler", __VERSION__}, {"version", JETTISON_VERSION}}, 1);
  writer.Family("jettison_dry_run", kGauge,
                "Whether everything is decided and nothing is done about it.");
  if (snapshot.node) writer.Sample(snapshot.node->config.dry_run);
  writer.Family("jettison_waiting_for_cleanup", kGauge,
                "Whether evicted pods are not gone yet, which puts off other evictions.");
  writer.Sample(snapshot.waiting_for_cleanup);
  writer.Family("jettison_reclaim_under_way", kGauge,
                "Whether dead containers or images are being removed for a disk that is short.");
  writer.Sample(snapshot.reclaim_under_way);
  writer.Family("jettison_last_pass_timestamp_seconds", kGauge, "When the last pass was made.");
  if (snapshot.last_report) writer.Sample(SecondsOf(snapshot.last_report->at));
  writer.Family("jettison_last_full_pass_timestamp_seconds", kGauge,
                "When the last pass was made that had measured disk use, too.");
  if (snapshot.pods_measured_at) writer.Sample(SecondsOf(*snapshot.pods_measured_at));
}

void WritePasses(const PassCounters& counters, MetricsWriter& writer) {
  writer.Family("jettison_pass_duration_seconds", kHistogram,
                "What a pass took, from its first figure to its last word; walks through files are "
                "not in it.");
  for (const PassKind kind : kAllPassKinds) {
    writer.Observed({{"kind", NameOf(kind)}},
                    counters.duration[static_cast<std::size_t>(kind)].View());
  }
  writer.Family("jettison_looks_total", kCounter, "Looks at memory alone, between passes.");
  writer.Sample(counters.looks);
  writer.Family("jettison_memory_notifications_total", kCounter,
                "Wake-ups by the kernel at a level of memory use.");
  writer.Sample(counters.memory_notifications);
  writer.Family("jettison_detection_latency_seconds", kHistogram,
                "From the wake-up that led to an eviction until the pod had been told to end.");
  writer.Observed({}, counters.detection_latency.View());
}

void WriteVictims(const Snapshot& snapshot, const PassCounters& counters, MetricsWriter& writer) {
  const std::array<bool, kSignalCount> watched = WatchedSignals(snapshot);
  writer.Family("jettison_dry_run_victims_total", kCounter,
                "Evictions that a dry run has decided on; a pod counts anew in each pass.");
  for (std::size_t i = 0; i < kEvictionSignalCount; ++i) {
    const std::uint64_t count = counters.dry_run_victims[i];
    if (count == 0 && i < kSignalCount && !watched[i]) continue;
    writer.Sample({{"eviction_signal", EvictionSignalName(i)}}, count);
  }
  writer.Family("jettison_eviction_waits_total", kCounter,
                "Evictions that had to wait for the kubelet's pace, by reason.");
  for (std::size_t i = 0; i < kPaceReasonCount; ++i) {
    writer.Sample({{"reason", NameOf(static_cast<PaceReason>(i))}}, counters.waits[i]);
  }
  writer.Family("jettison_early_kills_total", kCounter,
                "Pods that were killed before their grace period was over, because what was short "
                "would not have lasted for it.");
  writer.Sample(counters.early_kills);
  writer.Family("jettison_eviction_errors_total", kCounter,
                "Evictions that were decided on and could not be carried out.");
  writer.Sample(counters.eviction_errors);
}

void WriteReclaim(const NodeCounters& counters, MetricsWriter& writer) {
  writer.Family("jettison_reclaims_total", kCounter,
                "How often passes asked for a reclaim, by step.");
  for (const ReclaimStep step : kAllReclaimSteps) {
    writer.Sample({{"step", NameOf(step)}},
                  counters.passes.reclaims[static_cast<std::size_t>(step)]);
  }
  writer.Family("jettison_reclaim_errors_total", kCounter, "What went wrong in reclaims.");
  writer.Sample(counters.passes.reclaim_errors);
  writer.Family("jettison_reclaimed_bytes_total", kCounter,
                "Bytes that came free on the file system of the images, as measured, by step.");
  writer.Sample({{"step", NameOf(ReclaimStep::kDeadContainers)}}, counters.container_bytes);
  writer.Sample({{"step", NameOf(ReclaimStep::kUnusedImages)}}, counters.images.freed_bytes);
  writer.Family("jettison_dead_containers_removed_total", kCounter,
                "Dead containers that were collected.");
  writer.Sample(counters.pods.dead_containers_removed);
}

void WriteTroubles(const NodeCounters& counters, MetricsWriter& writer) {
  writer.Family("jettison_kills_exceeded_grace_period_total", kCounter,
                "Pods that were alive long after their grace period.");
  writer.Sample(counters.pods.late_kills);
  writer.Family("jettison_runtime_errors_total", kCounter,
                "What the container runtime failed to do, or did not answer.");
  const auto sample = [&](std::string_view operation, std::uint64_t count) {
    writer.Sample({{"operation", operation}}, count);
  };
  sample("connect", counters.runtime_unready);
  sample("create_pod", counters.pods.started_pods_errors);
  sample("list_images", counters.images.list_errors);
  sample("remove_image", counters.images.remove_errors);
  sample("start_container",
         counters.pods.started_containers_errors[0] + counters.pods.started_containers_errors[1]);
  writer.Family("jettison_log_lines_dropped_total", kCounter,
                "Lines of the agent's log that were lost, because nobody read them in time.");
  writer.Sample(counters.log_lines_lost);
}

// Absent where nothing is recorded.
void WriteRecording(const Snapshot& snapshot, MetricsWriter& writer) {
  if (!snapshot.recording) return;
  const RecorderCounters counters = snapshot.recording->counters();
  writer.Family("jettison_recorded_passes_total", kCounter, "Passes that were recorded.");
  writer.Sample(counters.passes);
  writer.Family("jettison_recorder_dropped_total", kCounter,
                "Passes and OOM kills that the recorder had no time for.");
  writer.Sample(counters.dropped);
  writer.Family("jettison_recorder_written_bytes_total", kCounter,
                "Bytes of chunks that were written to the recording.");
  writer.Sample(counters.bytes);
  writer.Family("jettison_recorder_write_errors_total", kCounter,
                "Chunks that could not be written to the recording.");
  writer.Sample(counters.write_errors);
}

void WriteWalks(const WalkCounters& counters, MetricsWriter& writer) {
  writer.Family("jettison_disk_walk_duration_seconds", kHistogram,
                "What measuring the disk use of all pods took, beside the loop and with pauses.");
  writer.Observed({}, counters.duration.View());
  writer.Family("jettison_disk_walk_directories_total", kCounter, "Directories read for it.");
  writer.Sample(counters.directories);
  writer.Family("jettison_disk_walk_trees_total", kCounter,
                "Trees that were walked whole for it, not only where something had changed.");
  writer.Sample(counters.trees);
}

}  // namespace

void WriteAgentMetrics(const Snapshot& snapshot, const NodeCounters& counters,
                       MetricsWriter& writer) {
  WriteState(snapshot, writer);
  WritePasses(counters.passes, writer);
  WriteVictims(snapshot, counters.passes, writer);
  WriteReclaim(counters, writer);
  WriteRecording(snapshot, writer);
  WriteTroubles(counters, writer);
  WriteWalks(counters.walks, writer);
}

}  // namespace jettison
