#include "sim/imported/pod_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <utility>

namespace jettison {
namespace {

void Add(std::optional<std::uint64_t> amount, std::optional<std::uint64_t>& sum) {
  if (amount) sum = sum.value_or(0) + *amount;
}

// Those for which it holds, which are removed from the others.
template <typename Parts, typename Predicate>
Parts TakenFrom(Parts& parts, Predicate predicate) {
  const auto taken = std::ranges::stable_partition(parts, std::not_fn(predicate));
  Parts result(taken.begin(), taken.end());
  parts.erase(taken.begin(), taken.end());
  return result;
}

// The first one that has something.
template <typename Parts>
Parts FirstOf(std::initializer_list<Parts> sources) {
  const auto first = std::ranges::find_if(sources, [](const Parts& each) { return !each.empty(); });
  return first == sources.end() ? Parts() : *first;
}

}  // namespace

PodTracks::PodTracks(const NodeTracks& tracks, const ImportedPod& pod) : pod_(&pod) {
  FindMemory(tracks);
  FindDisk(tracks);
  // The group of the pod has the threads of all its containers in it.
  Parts threads = PartsOf(tracks, "container_threads");
  Parts of_pod = TakenFrom(threads, [](const Part& part) { return part.name.empty(); });
  tasks_ = FirstOf<Parts>({PartsOf(tracks, "jettison_pod_processes"), of_pod, threads});
}

PodTracks::Parts PodTracks::PartsOf(const NodeTracks& tracks, std::string_view metric) const {
  Parts parts;
  for (const LabelledTrack* each : tracks.OfPod(metric, pod_->facts->pod)) {
    if (!IsOfPod(each->figure, pod_->facts->pod)) continue;
    parts.push_back({.name = std::string(each->figure.Label("container")),
                     .track = &each->track,
                     .has_group = !each->figure.Label("id").empty()});
  }
  return parts;
}

// In the order of preference: the agent's figure, the kubelet's own figure of the pod, its group,
// its containers one by one.
void PodTracks::FindMemory(const NodeTracks& tracks) {
  Parts others = PartsOf(tracks, "container_memory_working_set_bytes");
  Parts of_pod = TakenFrom(others, [](const Part& part) { return part.name.empty(); });
  Parts of_cadvisor = TakenFrom(others, [](const Part& part) { return part.has_group; });
  containers_ = FirstOf<Parts>({others, of_cadvisor});  // those of /metrics/resource first
  memory_ = FirstOf<Parts>({PartsOf(tracks, "jettison_pod_memory_working_set_bytes"),
                            PartsOf(tracks, "pod_memory_working_set_bytes"), of_pod, containers_});
}

void PodTracks::FindDisk(const NodeTracks& tracks) {
  const auto find = [&](std::string_view metric, std::string_view kind) {
    std::vector<DiskPart> parts;
    for (const LabelledTrack* each : tracks.OfPod(metric, pod_->facts->pod)) {
      if (!IsOfPod(each->figure, pod_->facts->pod)) continue;
      parts.push_back({.kind = std::string(kind.empty() ? each->figure.Label("kind") : kind),
                       .container = std::string(each->figure.Label("container")),
                       .bytes = &each->track});
    }
    return parts;
  };
  auto own = find("jettison_pod_disk_used_bytes", "");
  for (DiskPart& part : own) {
    for (const LabelledTrack* each :
         tracks.OfPod("jettison_pod_disk_used_inodes", pod_->facts->pod)) {
      if (IsOfPod(each->figure, pod_->facts->pod) && each->figure.Label("kind") == part.kind) {
        part.inodes = &each->track;
      }
    }
  }
  disk_ = std::move(own);
  if (!disk_.empty()) return;
  disk_ = find("container_fs_usage_bytes", "rootfs");
  // Logs alone do not suffice to rank a pod.
  if (disk_.empty()) return;
  const auto logs = find("kubelet_container_log_filesystem_used_bytes", "logs");
  disk_.insert(disk_.end(), logs.begin(), logs.end());
}

void PodTracks::Evicted(Instant at) {
  PodAbsence absence{.from = at};
  for (const Part& part : memory_) {
    const auto& points = part.track->points();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const bool anew =
          std::isnan(points[i - 1].value) || part.track->IsBridge(points[i - 1].at, points[i].at);
      if (points[i].at <= at || std::isnan(points[i].value) || !anew) continue;
      absence.until = std::min(absence.until.value_or(points[i].at), points[i].at);
      break;
    }
  }
  absences_.push_back(absence);
}

bool PodTracks::IsThere(Instant at) const {
  if (at < pod_->from - pod_->slack || at > pod_->to + pod_->slack) return false;
  if (std::ranges::any_of(absences_, [&](const PodAbsence& absence) {
        return at >= absence.from && (!absence.until || at < *absence.until);
      })) {
    return false;
  }
  const auto running = pod_->running == nullptr ? std::nullopt : pod_->running->Last(at);
  return !running || *running == 1;
}

std::optional<PodStats> PodTracks::At(Instant at) const {
  if (!IsThere(at)) return std::nullopt;
  const Pod& pod = pod_->facts->pod;
  PodStats stats{.uid = pod.uid, .name = pod.name, .namespace_ = pod.namespace_};
  stats.memory_working_set_bytes = SumAt(memory_, at);
  // Only its figures show that it runs.
  if (!stats.memory_working_set_bytes) return std::nullopt;
  stats.has_memory = true;
  stats.process_count = SumAt(tasks_, at);
  PutContainers(at, stats);
  // A pod without disk figures counts as not measured.
  if (!PutDisk(at, stats)) stats.stale_disk = StaleDisk{};
  return stats;
}

std::optional<std::uint64_t> PodTracks::SumAt(const Parts& parts, Instant at) {
  std::optional<std::uint64_t> sum;
  for (const Part& part : parts) Add(CountAt(part.track, at), sum);
  return sum;
}

void PodTracks::PutContainers(Instant at, PodStats& stats) const {
  for (const Part& part : containers_) {
    const auto bytes = CountAt(part.track, at);
    const auto known = std::ranges::find(stats.containers, part.name, &ContainerStats::name);
    if (!bytes) continue;
    if (known != stats.containers.end()) {
      Add(bytes, known->memory_working_set_bytes);
    } else {
      stats.containers.push_back({.name = part.name, .memory_working_set_bytes = bytes});
    }
  }
}

bool PodTracks::PutDisk(Instant at, PodStats& stats) const {
  FsUsage all;
  for (const DiskPart& part : disk_) {
    const FsUsage usage{.used_bytes = CountAt(part.bytes, at),
                        .inodes_used = CountAt(part.inodes, at)};
    if (!usage.used_bytes && !usage.inodes_used) continue;
    Add(usage.used_bytes, all.used_bytes);
    Add(usage.inodes_used, all.inodes_used);
    if (part.kind == "volumes") {
      stats.volumes.push_back({.name = part.kind, .usage = usage});
      continue;
    }
    const std::string name =
        part.container.empty() ? pod_->facts->pod.containers.front().name : part.container;
    auto container = std::ranges::find(stats.containers, name, &ContainerStats::name);
    if (container == stats.containers.end()) {
      stats.containers.push_back({.name = name});
      container = stats.containers.end() - 1;
    }
    (part.kind == "logs" ? container->logs : container->rootfs) = usage;
  }
  if (!all.used_bytes && !all.inodes_used) return false;
  stats.ephemeral_storage = all;
  return true;
}

std::optional<Instant> PodTracks::LastSampleBefore(Instant at) const {
  std::optional<Instant> last;
  for (const Part& part : memory_) {
    for (const Track::Point& point : part.track->points()) {
      if (point.at >= at) break;
      if (std::isfinite(point.value)) last = std::max(last.value_or(point.at), point.at);
    }
  }
  return last;
}

void PodTracks::NoteBridges(ImportNotes& notes) const {
  for (const Part& part : memory_) NoteBridges(*part.track, notes);
}

void PodTracks::NoteBridges(const Track& track, ImportNotes& notes) const {
  const auto& points = track.points();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Instant from = points[i - 1].at;
    const Instant to = points[i].at;
    const bool ends = std::isnan(points[i - 1].value) || std::isnan(points[i].value);
    const bool was_away = std::ranges::any_of(absences_, [&](const PodAbsence& absence) {
      return absence.from < to && absence.until.value_or(to) >= from;
    });
    if (ends || was_away || !track.IsBridge(from, to) || Elapsed(from, to) > kStaleness) {
      continue;
    }
    notes.Add("gaps in figures of pods",
              fmt::format("the memory of {} is interpolated from {} to {}, because samples are "
                          "missing there",
                          FullName(pod_->facts->pod), FormatInstant(from), FormatInstant(to)));
  }
}

}  // namespace jettison
