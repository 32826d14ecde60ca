#include <array>
#include <optional>
#include <vector>

#include "api/metrics/metric_sections.h"

namespace jettison {
namespace {

using enum MetricType;

// Pods are by namespace and name. Two may have both in common, where one is foreign; they
// cannot be told apart by their labels, and the first one is shown.
std::vector<const PodView*> PodsByName(const Snapshot& snapshot) {
  std::vector<const PodView*> pods;
  pods.reserve(snapshot.pods.size());
  for (const PodView& pod : snapshot.pods) {
    const bool known =
        !pods.empty() && pods.back()->name == pod.name && pods.back()->namespace_ == pod.namespace_;
    if (!known) pods.push_back(&pod);
  }
  return pods;
}

template <typename Figure>
void WritePods(std::string_view name, MetricType type, std::string_view help,
               const std::vector<const PodView*>& pods, Figure figure, MetricsWriter& writer) {
  writer.Family(name, type, help);
  for (const PodView* pod : pods) {
    const auto value = figure(*pod);
    if (value) writer.Sample({{"namespace", pod->namespace_}, {"pod", pod->name}}, *value);
  }
}

void WriteActivities(const Snapshot& snapshot, MetricsWriter& writer) {
  constexpr std::array kActivities = {PodActivity::kWaiting,    PodActivity::kStarting,
                                      PodActivity::kRunning,    PodActivity::kTerminating,
                                      PodActivity::kCleaningUp, PodActivity::kFinished};
  std::array<std::uint64_t, kActivities.size()> number{};
  for (const PodView& pod : snapshot.pods) ++number[static_cast<std::size_t>(pod.activity)];
  writer.Family("jettison_pods", kGauge, "Pods by what their worker is at.");
  for (const PodActivity activity : kActivities) {
    writer.Sample({{"activity", NameOf(activity)}}, number[static_cast<std::size_t>(activity)]);
  }
}

}  // namespace

void WritePodMetrics(const Snapshot& snapshot, MetricsWriter& writer) {
  WriteActivities(snapshot, writer);
  const std::vector<const PodView*> pods = PodsByName(snapshot);
  WritePods(
      "jettison_pod_memory_working_set_bytes", kGauge,
      "Memory of the pod that cannot be taken back, as of the last full pass.", pods,
      [](const PodView& pod) { return pod.memory_working_set_bytes; }, writer);
  WritePods(
      "jettison_pod_processes", kGauge, "Tasks of the pod, as of the last full pass.", pods,
      [](const PodView& pod) { return pod.process_count; }, writer);
  WritePods(
      "jettison_pod_ephemeral_storage_used_bytes", kGauge,
      "Bytes of the pod on disk: logs, writable layers, local volumes.", pods,
      [](const PodView& pod) {
        return pod.ephemeral_storage ? pod.ephemeral_storage->used_bytes : std::nullopt;
      },
      writer);
  WritePods(
      "jettison_pod_ephemeral_storage_used_inodes", kGauge, "Inodes of the pod on disk, as above.",
      pods,
      [](const PodView& pod) {
        return pod.ephemeral_storage ? pod.ephemeral_storage->inodes_used : std::nullopt;
      },
      writer);
  WritePods(
      "jettison_pod_evictions_total", kCounter,
      "Evictions of the pod since the agent started, or since its manifest came.", pods,
      [](const PodView& pod) { return std::optional(pod.evictions); }, writer);
}

}  // namespace jettison
