#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "agent/notify/eviction_history.h"
#include "api/metrics/metrics.h"
#include "core/model/pod.h"

namespace jettison {
namespace {

using enum MetricType;

// Two pods may have their namespace and name in common, where one is foreign; they cannot be told
// apart by their labels, and the first one is shown.
std::vector<const PodView*> PodsByName(const Snapshot& snapshot) {
  const auto labels = [](const PodView* pod) { return std::tie(pod->namespace_, pod->name); };
  std::vector<const PodView*> pods;
  pods.reserve(snapshot.pods.size());
  for (const PodView& pod : snapshot.pods) pods.push_back(&pod);
  std::ranges::stable_sort(pods, {}, labels);
  const auto again = std::ranges::unique(pods, {}, labels);
  pods.erase(again.begin(), again.end());
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
  writer.Family("jettison_pods", kGauge, "Pods by activity of their worker.");
  for (const PodActivity activity : kActivities) {
    writer.Sample({{"activity", NameOf(activity)}}, number[static_cast<std::size_t>(activity)]);
  }
}

// What a pod has on disk, by what it is.
struct DiskByKind {
  FsUsage rootfs;
  FsUsage logs;
  FsUsage volumes;
};

void Add(const FsUsage& usage, FsUsage& sum) {
  if (usage.used_bytes) sum.used_bytes = sum.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) sum.inodes_used = sum.inodes_used.value_or(0) + *usage.inodes_used;
}

DiskByKind DiskOf(const PodView& pod, const PodStats& stats) {
  DiskByKind disk;
  for (const ContainerStats& container : stats.containers) {
    if (container.rootfs) Add(*container.rootfs, disk.rootfs);
    if (container.logs) Add(*container.logs, disk.logs);
  }
  for (const VolumeStats& volume : stats.volumes) {
    const auto& local = pod.facts->local_volumes;
    if (std::ranges::find(local, volume.name) != local.end()) Add(volume.usage, disk.volumes);
  }
  return disk;
}

// A figure of each pod by kind, which is the value of a label.
template <typename Figure>
void WriteByKind(std::string_view name, std::string_view help, std::string_view label,
                 std::initializer_list<std::string_view> kinds,
                 const std::vector<const PodView*>& pods, Figure figure, MetricsWriter& writer) {
  writer.Family(name, kGauge, help);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    for (const std::string_view kind : kinds) {
      const auto value = figure(i, kind);
      if (!value) continue;
      writer.Sample({{"namespace", pods[i]->namespace_}, {"pod", pods[i]->name}, {label, kind}},
                    *value);
    }
  }
}

// As of the last full pass, of pods that it measured.
void WriteDisks(const Snapshot& snapshot, const std::vector<const PodView*>& pods,
                MetricsWriter& writer) {
  std::vector<DiskByKind> disks(pods.size());
  std::vector<const PodStats*> stats;
  if (snapshot.summary) {
    for (const PodStats& each : snapshot.summary->pods) stats.push_back(&each);
  }
  std::ranges::sort(stats, {}, [](const PodStats* each) { return std::string_view(each->uid); });
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto found =
        std::ranges::lower_bound(stats, std::string_view(pods[i]->uid), {},
                                 [](const PodStats* each) { return std::string_view(each->uid); });
    if (found != stats.end() && (*found)->uid == pods[i]->uid) disks[i] = DiskOf(*pods[i], **found);
  }
  const auto write = [&](std::string_view name, std::string_view help, auto amount) {
    const auto figure = [&](std::size_t pod, std::string_view kind) {
      const DiskByKind& disk = disks[pod];
      return (kind == "rootfs" ? disk.rootfs : kind == "logs" ? disk.logs : disk.volumes).*amount;
    };
    WriteByKind(name, help, "kind", {"rootfs", "logs", "volumes"}, pods, figure, writer);
  };
  write("jettison_pod_disk_used_bytes",
        "Disk use of the pod in bytes, by kind: rootfs (writable layers), logs, volumes.",
        &FsUsage::used_bytes);
  write("jettison_pod_disk_used_inodes", "Inodes of the pod on disk, by kind.",
        &FsUsage::inodes_used);
}

// The most memory that passes have seen of each pod, that of an evicted one among it.
void WritePeaks(const Snapshot& snapshot, const std::vector<const PodView*>& pods, Instant since,
                MetricsWriter& writer) {
  std::map<std::string_view, std::uint64_t> peaks;
  const auto take = [&](const Summary& summary) {
    for (const PodStats& stats : summary.pods) {
      std::uint64_t& peak = peaks[stats.uid];
      peak = std::max(peak, stats.memory_working_set_bytes.value_or(0));
    }
  };
  if (snapshot.summary) take(*snapshot.summary);
  for (const auto& pass : snapshot.cycles) {
    if (pass->report.at > since) take(pass->summary);
  }
  WritePods(
      "jettison_pod_memory_peak_bytes", kGauge,
      "Most working set of the pod that a pass has read since the scrape before.", pods,
      [&](const PodView& pod) {
        const std::uint64_t peak = peaks[pod.uid];
        return peak == 0 ? std::nullopt : std::optional(peak);
      },
      writer);
}

void WriteLastEvictions(const Snapshot& snapshot, const std::vector<const PodView*>& pods,
                        MetricsWriter& writer) {
  std::map<std::string_view, Instant> last;
  if (snapshot.evictions) {
    for (const auto& past : *snapshot.evictions) {
      if (!past->dry_run) last[past->pod.uid] = past->at;
    }
  }
  WritePods(
      "jettison_pod_last_eviction_timestamp_seconds", kGauge,
      "When the pod was last evicted, of the last 100 evictions since the agent started.", pods,
      [&](const PodView& pod) {
        const auto found = last.find(pod.uid);
        return found == last.end() ? std::nullopt
                                   : std::optional(SecondsOf(found->second.time_since_epoch()));
      },
      writer);
}

// What a pod is, for whoever reads its figures later.
void WriteFacts(const std::vector<const PodView*>& pods, MetricsWriter& writer) {
  writer.Family("jettison_pod_info", kGauge, "Identity of the pod. Always 1.");
  for (const PodView* pod : pods) {
    // One that is spared is so for now alone.
    const bool lasts = pod->protection != Protection::kSpared;
    writer.Sample({{"namespace", pod->namespace_},
                   {"pod", pod->name},
                   {"uid", pod->uid},
                   {"qos_class", NameOf(pod->qos)},
                   {"priority_class", pod->facts->pod.priority_class_name},
                   {"protection", NameOf(lasts ? pod->protection : Protection::kNone)},
                   {"source", NameOf(pod->source)}},
                  1);
  }
  WritePods(
      "jettison_pod_priority", kGauge, "Priority of the pod.", pods,
      [](const PodView& pod) { return std::optional(pod.priority); }, writer);
}

// Amounts of memory and of local storage; no sample where nothing is requested, or nothing limits
// it.
void WriteAmounts(const std::vector<const PodView*>& pods, MetricsWriter& writer) {
  const auto write = [&](std::string_view name, std::string_view help, auto amount_of) {
    const auto figure = [&](std::size_t pod, std::string_view resource) {
      std::optional<std::int64_t> amount = amount_of(*pods[pod]->facts, resource);
      return amount == 0 ? std::nullopt : amount;
    };
    WriteByKind(name, help, "resource", {"memory", "ephemeral-storage"}, pods, figure, writer);
  };
  write("jettison_pod_request_bytes", "Resource request of the pod.",
        [](const PodFacts& facts, std::string_view resource) {
          return std::optional<std::int64_t>(WholeUnits(
              resource == "memory" ? facts.memory_request : facts.ephemeral_storage_request));
        });
  write("jettison_pod_limit_bytes", "Resource limit of the pod as a whole.",
        [](const PodFacts& facts, std::string_view resource) {
          const auto limit = EffectiveLimit(facts.pod, resource);
          return limit ? std::optional<std::int64_t>(limit->Value()) : std::nullopt;
        });
}

}  // namespace

void WritePodMetrics(const Snapshot& snapshot, Instant since, MetricsWriter& writer) {
  WriteActivities(snapshot, writer);
  const std::vector<const PodView*> pods = PodsByName(snapshot);
  WritePods(
      "jettison_pod_memory_working_set_bytes", kGauge,
      "Working set of the pod, as of the last full pass.", pods,
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
      "jettison_pod_ephemeral_storage_used_inodes", kGauge, "Inodes of the pod on disk.", pods,
      [](const PodView& pod) {
        return pod.ephemeral_storage ? pod.ephemeral_storage->inodes_used : std::nullopt;
      },
      writer);
  WritePods(
      "jettison_pod_evictions_total", kCounter,
      "Evictions of the pod since its manifest was added; of a foreign pod, since the agent "
      "started.",
      pods, [](const PodView& pod) { return std::optional(pod.evictions); }, writer);
  WritePods(
      "jettison_pod_oom_kills_total", kCounter,
      "Containers of the pod that the kernel killed for memory since the agent started.", pods,
      [](const PodView& pod) { return std::optional(pod.oom_kills); }, writer);
  WritePeaks(snapshot, pods, since, writer);
  WriteLastEvictions(snapshot, pods, writer);
  WriteDisks(snapshot, pods, writer);
  WriteFacts(pods, writer);
  WriteAmounts(pods, writer);
}

}  // namespace jettison
