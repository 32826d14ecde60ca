#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "api/metrics/metrics.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

using enum MetricType;

// The kubelet's label: "true" for a pod that the node read from a file, else empty.
std::string_view StaticLabel(bool is_static) {
  return is_static ? "true" : "";
}

bool IsActive(const PodView& pod) {
  return pod.activity == PodActivity::kStarting || pod.activity == PodActivity::kRunning ||
         pod.activity == PodActivity::kTerminating;
}

bool IsRunning(const ContainerStatus& container) {
  return std::holds_alternative<ContainerRunning>(container.state);
}

void WritePodsBySource(std::string_view name, std::string_view help, const Snapshot& snapshot,
                       bool (*counts)(const PodView&), MetricsWriter& writer) {
  std::array<std::uint64_t, 2> number{};
  for (const PodView& pod : snapshot.pods) {
    if (counts(pod)) ++number[IsStatic(pod.facts->pod) ? 1 : 0];
  }
  writer.Family(name, kGauge, help);
  writer.Sample({{"static", StaticLabel(false)}}, number[0]);
  writer.Sample({{"static", StaticLabel(true)}}, number[1]);
}

// Where a pod that is on the node comes from, and what its worker is at; the kubelet's words.
struct WorkingLabels {
  std::string_view config;
  std::string_view lifecycle;
  std::string_view is_static;
  friend auto operator<=>(const WorkingLabels&, const WorkingLabels&) = default;
};

WorkingLabels LabelsOf(const PodView& pod) {
  WorkingLabels labels{.config = "orphan", .lifecycle = "sync", .is_static = "unknown"};
  if (pod.foreign) {
    labels.config = "runtime_only";
  } else {
    if (pod.wanted) labels.config = "desired";
    labels.is_static = StaticLabel(IsStatic(pod.facts->pod));
  }
  if (pod.activity == PodActivity::kTerminating) labels.lifecycle = "terminating";
  if (pod.activity == PodActivity::kCleaningUp || pod.activity == PodActivity::kFinished) {
    labels.lifecycle = "terminated";
  }
  return labels;
}

void WriteWorkingPods(const Snapshot& snapshot, MetricsWriter& writer) {
  std::map<WorkingLabels, std::uint64_t> number;
  for (const std::string_view lifecycle : {"sync", "terminating", "terminated"}) {
    for (const std::string_view config : {"desired", "orphan"}) {
      for (const std::string_view is_static : {"", "true"}) number[{config, lifecycle, is_static}];
    }
    number[{"runtime_only", lifecycle, "unknown"}];
  }
  for (const PodView& pod : snapshot.pods) {
    if (pod.activity != PodActivity::kWaiting) ++number[LabelsOf(pod)];
  }
  writer.Family("kubelet_working_pods", kGauge,
                "Pods on the node by lifecycle, by configuration (wanted, orphaned or foreign), "
                "and by whether they are static.");
  for (const auto& [labels, count] : number) {
    writer.Sample(
        {{"config", labels.config}, {"lifecycle", labels.lifecycle}, {"static", labels.is_static}},
        count);
  }
}

void WriteContainers(const Snapshot& snapshot, MetricsWriter& writer) {
  std::uint64_t pods = 0;
  std::uint64_t running = 0;
  std::uint64_t exited = 0;
  for (const PodView& pod : snapshot.pods) {
    const std::uint64_t before = running;
    for (const ContainerStatus& container : pod.status.containers) running += IsRunning(container);
    exited += pod.dead_containers;
    if (running > before || pod.activity == PodActivity::kRunning) ++pods;
  }
  writer.Gauge("kubelet_running_pods", "Pods that have a running sandbox or cgroup.", pods);
  writer.Family("kubelet_running_containers", kGauge,
                "Containers on the node by state; exited containers count until they are removed.");
  writer.Sample({{"container_state", "exited"}}, exited);
  writer.Sample({{"container_state", "running"}}, running);
}

void WriteEvictions(const Snapshot& snapshot, const NodeCounters& counters, MetricsWriter& writer) {
  WriteByCause("kubelet_evictions",
               "Pods evicted, by the eviction signal or storage limit that caused the eviction.",
               snapshot, counters.passes.evictions, writer);
  writer.Family("kubelet_eviction_stats_age_seconds", kHistogram,
                "Age of the reading of an eviction signal when a pod was told to end for it.");
  for (const Signal signal : kAllSignals) {
    const auto& age = counters.passes.stats_age[IndexOf(signal)];
    if (!IsWatched(snapshot, signal) && age.Count() == 0) continue;
    writer.Observed({{"eviction_signal", NameOf(signal)}}, age.View());
  }
  writer.Family("kubelet_preemptions", kCounter,
                "Pods preempted for a pod of higher priority, by the resource that was short.");
  for (std::size_t i = 0; i < kSharedResources.size(); ++i) {
    writer.Sample({{"preemption_signal", kSharedResources[i]}}, counters.pods.preemptions[i]);
  }
}

void WriteRejections(const PodCounters& counters, MetricsWriter& writer) {
  std::map<std::string_view, std::uint64_t> rejections = {{kReasonEvicted, 0}};
  std::array<std::string, kSharedResources.size()> shortages;
  for (std::size_t i = 0; i < shortages.size(); ++i) {
    shortages[i] = Shortage{.resource = i}.Reason();
    rejections[shortages[i]] = 0;
  }
  for (const auto& [reason, count] : counters.admission_rejections) rejections[reason] = count;
  writer.Family("kubelet_admission_rejections_total", kCounter,
                "Pods that were not admitted, by reason.");
  for (const auto& [reason, count] : rejections) writer.Sample({{"reason", reason}}, count);
}

void WriteStarts(const PodCounters& counters, MetricsWriter& writer) {
  writer.Counter("kubelet_started_pods_total", "Pods started, including failures.",
                 counters.started_pods);
  writer.Counter("kubelet_started_pods_errors_total", "Pods that could not be started.",
                 counters.started_pods_errors);
  constexpr std::array<std::string_view, 2> kTypes = {"container", "init_container"};
  writer.Family("kubelet_started_containers_total", kCounter,
                "Containers started, including restarts and failures.");
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    writer.Sample({{"container_type", kTypes[i]}}, counters.started_containers[i]);
  }
  writer.Family("kubelet_started_containers_errors_total", kCounter,
                "Containers that could not be started.");
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    for (const StartFailure failure : kAllOf<StartFailure>) {
      writer.Sample({{"code", NameOf(failure)}, {"container_type", kTypes[i]}},
                    counters.started_containers_errors[i][static_cast<std::size_t>(failure)]);
    }
  }
  writer.Family("kubelet_restarted_pods_total", kCounter,
                "Pods started again under the same UID after an eviction or a preemption.");
  writer.Sample({{"static", ""}}, 0);
  writer.Sample({{"static", "true"}}, counters.restarted_pods);
  writer.Observed("kubelet_pod_start_duration_seconds",
                  "Time from the admission of a pod until its first regular container was started.",
                  counters.pod_start.View());
}

}  // namespace

bool IsWatched(const Snapshot& snapshot, Signal signal) {
  return std::ranges::any_of(snapshot.thresholds, [signal](const ThresholdView& view) {
    return view.threshold.signal == signal;
  });
}

void WriteByCause(std::string_view name, std::string_view help, const Snapshot& snapshot,
                  const CountByEvictionSignal& counts, MetricsWriter& writer) {
  writer.Family(name, kCounter, help);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool may_count = i >= kSignalCount || IsWatched(snapshot, kAllSignals[i]);
    if (counts[i] == 0 && !may_count) continue;
    writer.Sample({{"eviction_signal", EvictionSignalName(i)}}, counts[i]);
  }
}

void WriteKubeletMetrics(const Snapshot& snapshot, const NodeCounters& counters,
                         MetricsWriter& writer) {
  writer.Family("kubelet_node_name", kGauge, "The node's name; always 1.");
  if (snapshot.node) writer.Sample({{"node", snapshot.node->config.node_name}}, 1);
  WritePodsBySource(
      "kubelet_desired_pods", "Pods that the manifests ask for.", snapshot,
      [](const PodView& pod) { return pod.wanted; }, writer);
  WritePodsBySource("kubelet_active_pods", "Pods that use or reserve resources of the node.",
                    snapshot, IsActive, writer);
  WriteWorkingPods(snapshot, writer);
  WriteContainers(snapshot, writer);
  WriteEvictions(snapshot, counters, writer);
  WriteRejections(counters.pods, writer);
  writer.ByName<ImageGcReason>("kubelet_image_garbage_collected_total", kCounter,
                               "Images removed because they were unused for too long or because "
                               "disk space was needed, by reason.",
                               "reason", counters.images.removed);
  WriteStarts(counters.pods, writer);
}

}  // namespace jettison
