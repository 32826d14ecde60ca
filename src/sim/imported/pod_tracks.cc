#include "sim/imported/pod_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace jettison {
namespace {

void Add(std::optional<std::uint64_t> amount, std::optional<std::uint64_t>& sum) {
  if (amount) sum = sum.value_or(0) + *amount;
}

}  // namespace

PodTracks::PodTracks(const NodeTracks& tracks, const ImportedPod& pod) : pod_(&pod) {
  FindMemory(tracks);
  FindDisk(tracks);
  tasks_ = PartsOf(tracks, "jettison_pod_processes");
  if (tasks_.empty()) tasks_ = PartsOf(tracks, "container_threads");
  // The group of the pod has the threads of all its containers in it.
  if (std::ranges::any_of(tasks_, [](const Part& part) { return part.name.empty(); })) {
    std::erase_if(tasks_, [](const Part& part) { return !part.name.empty(); });
  }
}

std::vector<PodTracks::Part> PodTracks::PartsOf(const NodeTracks& tracks,
                                                std::string_view metric) const {
  std::vector<Part> parts;
  for (const LabelledTrack* each : tracks.OfPod(metric, pod_->facts->pod)) {
    if (!IsOfPod(each->figure, pod_->facts->pod)) continue;
    parts.push_back({.name = std::string(each->figure.Label("container")), .track = &each->track});
  }
  return parts;
}

// In the order of preference: the kubelet's own figure of the pod, its group, its containers one by
// one.
void PodTracks::FindMemory(const NodeTracks& tracks) {
  std::vector<Part> of_group;
  std::vector<Part> with_group;     // containers, from cAdvisor
  std::vector<Part> without_group;  // containers, from /metrics/resource
  for (const LabelledTrack* each :
       tracks.OfPod("container_memory_working_set_bytes", pod_->facts->pod)) {
    if (!IsOfPod(each->figure, pod_->facts->pod)) continue;
    const Part part{.name = std::string(each->figure.Label("container")), .track = &each->track};
    if (part.name.empty()) {
      of_group.push_back(part);
    } else {
      (each->figure.Label("id").empty() ? without_group : with_group).push_back(part);
    }
  }
  containers_ = without_group.empty() ? with_group : without_group;
  for (const std::string_view metric :
       {"jettison_pod_memory_working_set_bytes", "pod_memory_working_set_bytes"}) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod_->facts->pod)) {
      if (memory_.empty() && IsOfPod(each->figure, pod_->facts->pod)) {
        memory_.push_back({.name = {}, .track = &each->track});
      }
    }
  }
  if (memory_.empty()) memory_ = of_group.empty() ? containers_ : of_group;
}

void PodTracks::FindDisk(const NodeTracks& tracks) {
  const Pod& pod = pod_->facts->pod;
  const auto find = [&](std::string_view metric, std::string_view kind) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod)) {
      if (!IsOfPod(each->figure, pod)) continue;
      disk_.push_back({.kind = std::string(kind.empty() ? each->figure.Label("kind") : kind),
                       .container = std::string(each->figure.Label("container")),
                       .bytes = &each->track});
    }
  };
  find("jettison_pod_disk_used_bytes", "");
  for (DiskPart& part : disk_) {
    for (const LabelledTrack* each : tracks.OfPod("jettison_pod_disk_used_inodes", pod)) {
      if (IsOfPod(each->figure, pod) && each->figure.Label("kind") == part.kind) {
        part.inodes = &each->track;
      }
    }
  }
  if (!disk_.empty()) return;
  find("container_fs_usage_bytes", "rootfs");
  // Logs alone do not suffice to rank a pod.
  if (!disk_.empty()) find("kubelet_container_log_filesystem_used_bytes", "logs");
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
  for (const Part& part : memory_) Add(CountAt(part.track, at), stats.memory_working_set_bytes);
  // Only its figures show that it runs.
  if (!stats.memory_working_set_bytes) return std::nullopt;
  stats.has_memory = true;
  for (const Part& part : tasks_) Add(CountAt(part.track, at), stats.process_count);
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
  PutDisk(at, stats);
  return stats;
}

// A pod without disk figures counts as not measured.
void PodTracks::PutDisk(Instant at, PodStats& stats) const {
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
  if (all.used_bytes || all.inodes_used) {
    stats.ephemeral_storage = all;
  } else {
    stats.stale_disk = StaleDisk{};
  }
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
  for (const Part& part : memory_) {
    const auto& points = part.track->points();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Instant from = points[i - 1].at;
      const Instant to = points[i].at;
      const bool ends = std::isnan(points[i - 1].value) || std::isnan(points[i].value);
      const bool was_away = std::ranges::any_of(absences_, [&](const PodAbsence& absence) {
        return absence.from < to && absence.until.value_or(to) >= from;
      });
      if (ends || was_away || !part.track->IsBridge(from, to) || Elapsed(from, to) > kStaleness) {
        continue;
      }
      notes.Add("gaps in figures of pods",
                fmt::format("the memory of {} is interpolated from {} to {}, because samples are "
                            "missing there",
                            FullName(pod_->facts->pod), FormatInstant(from), FormatInstant(to)));
    }
  }
}

}  // namespace jettison
