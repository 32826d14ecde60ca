#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/notify/eviction_history.h"
#include "api/metrics/metrics.h"
#include "core/model/pod.h"

namespace jettison {
namespace {

using enum MetricType;

constexpr std::array<std::string_view, 3> kDiskKinds = {"rootfs", "logs", "volumes"};
constexpr std::array<std::string_view, 2> kResources = {"memory", "ephemeral-storage"};

using Amount = std::optional<std::int64_t>;

// A pod with what other parts of the snapshot say of it.
struct PodSeries {
  const PodView* view = nullptr;
  std::array<FsUsage, kDiskKinds.size()> disk;  // of the last full pass
  std::uint64_t peak = 0;  // the most memory that passes have seen of it; 0: none has
  std::optional<Instant> evicted_at;
};

// A figure of each pod. Where it is absent, there is no sample.
struct Row {
  std::string_view name;
  MetricType type;
  std::string_view help;
  Amount (*figure)(const PodSeries& pod);
};

constexpr Row kRows[] = {
    {"jettison_pod_memory_working_set_bytes", kGauge,
     "Working set of the pod, as of the last full pass.",
     [](const PodSeries& pod) -> Amount { return pod.view->memory_working_set_bytes; }},
    {"jettison_pod_processes", kGauge, "Tasks of the pod, as of the last full pass.",
     [](const PodSeries& pod) -> Amount { return pod.view->process_count; }},
    {"jettison_pod_ephemeral_storage_used_bytes", kGauge,
     "Bytes of the pod on disk: logs, writable layers, local volumes.",
     [](const PodSeries& pod) -> Amount {
       return pod.view->ephemeral_storage.value_or(FsUsage()).used_bytes;
     }},
    {"jettison_pod_ephemeral_storage_used_inodes", kGauge, "Inodes of the pod on disk.",
     [](const PodSeries& pod) -> Amount {
       return pod.view->ephemeral_storage.value_or(FsUsage()).inodes_used;
     }},
    {"jettison_pod_evictions_total", kCounter,
     "Evictions of the pod since its manifest was added; of a foreign pod, since the agent "
     "started.",
     [](const PodSeries& pod) -> Amount { return pod.view->evictions; }},
    {"jettison_pod_oom_kills_total", kCounter,
     "Containers of the pod that the kernel killed for memory since the agent started.",
     [](const PodSeries& pod) -> Amount { return pod.view->oom_kills; }},
    {"jettison_pod_memory_peak_bytes", kGauge,
     "Most working set of the pod that a pass has read since the scrape before.",
     [](const PodSeries& pod) { return pod.peak == 0 ? Amount() : Amount(pod.peak); }},
    {"jettison_pod_priority", kGauge, "Priority of the pod.",
     [](const PodSeries& pod) -> Amount { return pod.view->priority; }},
};

// A figure of each pod by kind, which is the value of a label.
struct KindsRow {
  std::string_view name;
  std::string_view help;
  Amount (*figure)(const PodSeries& pod, std::size_t kind);
};

constexpr KindsRow kDiskRows[] = {
    {"jettison_pod_disk_used_bytes",
     "Disk use of the pod in bytes, by kind: rootfs (writable layers), logs, volumes.",
     [](const PodSeries& pod, std::size_t kind) -> Amount { return pod.disk[kind].used_bytes; }},
    {"jettison_pod_disk_used_inodes", "Inodes of the pod on disk, by kind.",
     [](const PodSeries& pod, std::size_t kind) -> Amount { return pod.disk[kind].inodes_used; }},
};

// 0: nothing is requested, or limited to nothing; no sample.
constexpr KindsRow kAmountRows[] = {
    {"jettison_pod_request_bytes", "Resource request of the pod.",
     [](const PodSeries& pod, std::size_t kind) -> Amount {
       const PodFacts& facts = *pod.view->facts;
       const auto bytes =
           WholeUnits(kind == 0 ? facts.memory_request : facts.ephemeral_storage_request);
       return bytes == 0 ? Amount() : Amount(bytes);
     }},
    {"jettison_pod_limit_bytes", "Resource limit of the pod as a whole.",
     [](const PodSeries& pod, std::size_t kind) -> Amount {
       const auto limit = EffectiveLimit(pod.view->facts->pod, kResources[kind]);
       return !limit || limit->Value() == 0 ? Amount() : Amount(limit->Value());
     }},
};

void WriteKinds(const KindsRow& row, std::string_view label, const auto& kinds,
                const std::vector<PodSeries>& pods, MetricsWriter& writer) {
  writer.Family(row.name, kGauge, row.help);
  for (const PodSeries& pod : pods) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const Amount value = row.figure(pod, i);
      if (!value) continue;
      writer.Sample(
          {{"namespace", pod.view->namespace_}, {"pod", pod.view->name}, {label, kinds[i]}},
          *value);
    }
  }
}

void Add(const FsUsage& usage, FsUsage& sum) {
  if (usage.used_bytes) sum.used_bytes = sum.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) sum.inodes_used = sum.inodes_used.value_or(0) + *usage.inodes_used;
}

void AddDisk(const PodStats& stats, PodSeries& pod) {
  auto& [rootfs, logs, volumes] = pod.disk;
  for (const ContainerStats& container : stats.containers) {
    if (container.rootfs) Add(*container.rootfs, rootfs);
    if (container.logs) Add(*container.logs, logs);
  }
  const auto& local = pod.view->facts->local_volumes;
  for (const VolumeStats& volume : stats.volumes) {
    if (std::ranges::find(local, volume.name) != local.end()) Add(volume.usage, volumes);
  }
}

// Two pods may have their namespace and name in common, where one is foreign; they cannot be told
// apart by their labels, and the first one is shown.
std::vector<PodSeries> FiguresOf(const Snapshot& snapshot, Instant since) {
  std::map<std::pair<std::string_view, std::string_view>, const PodView*> by_name;
  for (const PodView& pod : snapshot.pods) by_name.try_emplace({pod.namespace_, pod.name}, &pod);
  std::vector<PodSeries> pods;
  std::map<std::string_view, std::size_t> by_uid;
  for (const auto& [name, view] : by_name) {
    by_uid[view->uid] = pods.size();
    pods.push_back({.view = view, .disk = {}, .evicted_at = {}});
  }
  const auto take_peaks = [&](const Summary& summary) {
    for (const PodStats& stats : summary.pods) {
      const auto found = by_uid.find(stats.uid);
      if (found == by_uid.end()) continue;
      std::uint64_t& peak = pods[found->second].peak;
      peak = std::max(peak, stats.memory_working_set_bytes.value_or(0));
    }
  };
  for (const auto& pass : snapshot.cycles) {
    if (pass->report.at > since) take_peaks(pass->summary);
  }
  if (snapshot.summary) {
    take_peaks(*snapshot.summary);
    for (const PodStats& stats : snapshot.summary->pods) {
      const auto found = by_uid.find(stats.uid);
      if (found != by_uid.end()) AddDisk(stats, pods[found->second]);
    }
  }
  if (!snapshot.evictions) return pods;
  for (const auto& past : *snapshot.evictions) {
    const auto found = by_uid.find(past->pod.uid);
    if (found != by_uid.end() && !past->dry_run) pods[found->second].evicted_at = past->at;
  }
  return pods;
}

}  // namespace

void WritePodMetrics(const Snapshot& snapshot, Instant since, MetricsWriter& writer) {
  std::array<std::uint64_t, kAllOf<PodActivity>.size()> number{};
  for (const PodView& pod : snapshot.pods) ++number[static_cast<std::size_t>(pod.activity)];
  writer.ByName<PodActivity>("jettison_pods", kGauge, "Pods by activity of their worker.",
                             "activity", number);
  const std::vector<PodSeries> pods = FiguresOf(snapshot, since);
  for (const Row& row : kRows) {
    writer.Family(row.name, row.type, row.help);
    for (const PodSeries& pod : pods) {
      const Amount value = row.figure(pod);
      if (!value) continue;
      writer.Sample({{"namespace", pod.view->namespace_}, {"pod", pod.view->name}}, *value);
    }
  }
  writer.Family("jettison_pod_last_eviction_timestamp_seconds", kGauge,
                "When the pod was last evicted, of the last 100 evictions since the agent "
                "started.");
  for (const PodSeries& pod : pods) {
    if (!pod.evicted_at) continue;
    writer.Sample({{"namespace", pod.view->namespace_}, {"pod", pod.view->name}},
                  SecondsOf(pod.evicted_at->time_since_epoch()));
  }
  for (const KindsRow& row : kDiskRows) WriteKinds(row, "kind", kDiskKinds, pods, writer);
  for (const KindsRow& row : kAmountRows) WriteKinds(row, "resource", kResources, pods, writer);
  // What a pod is, for whoever reads its figures later.
  writer.Family("jettison_pod_info", kGauge, "Identity of the pod. Always 1.");
  for (const auto& [view, disk, peak, evicted_at] : pods) {
    // One that is spared is so for now alone.
    const bool lasts = view->protection != Protection::kSpared;
    writer.Sample({{"namespace", view->namespace_},
                   {"pod", view->name},
                   {"uid", view->uid},
                   {"qos_class", NameOf(view->qos)},
                   {"priority_class", view->facts->pod.priority_class_name},
                   {"protection", NameOf(lasts ? view->protection : Protection::kNone)},
                   {"source", NameOf(view->source)}},
                  1);
  }
}

}  // namespace jettison
