#include "sim/imported/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

using Parts = std::vector<const LabelledTrack*>;

void Add(std::optional<std::uint64_t> amount, std::optional<std::uint64_t>& sum) {
  if (amount) sum = sum.value_or(0) + *amount;
}

std::optional<std::uint64_t> SumAt(const Parts& parts, Instant at) {
  std::optional<std::uint64_t> sum;
  for (const LabelledTrack* part : parts) Add(CountAt(&part->track, at), sum);
  return sum;
}

// Those that have the label, or those that have it not.
Parts With(const Parts& parts, std::string_view label, bool has) {
  Parts result;
  for (const LabelledTrack* part : parts) {
    if (part->figure.Label(label).empty() != has) result.push_back(part);
  }
  return result;
}

Parts FirstOf(std::initializer_list<Parts> sources) {
  const auto first = std::ranges::find_if_not(sources, &Parts::empty);
  return first == sources.end() ? Parts() : *first;
}

ContainerStats& ContainerNamed(std::string_view name, PodStats& stats) {
  const auto found = std::ranges::find(stats.containers, name, &ContainerStats::name);
  if (found != stats.containers.end()) return *found;
  return stats.containers.emplace_back(ContainerStats{.name = std::string(name)});
}

}  // namespace

ImportedPod::ImportedPod(const NodeTracks& tracks, std::shared_ptr<const PodFacts> facts, Span span)
    : facts_(std::move(facts)), span_(span) {
  FindMemory(tracks);
  FindDisk(tracks);
  // The group of the pod has the threads of all its containers in it.
  const Parts threads = tracks.OfPod("container_threads", pod());
  tasks_ = FirstOf(
      {tracks.OfPod("jettison_pod_processes", pod()), With(threads, "container", false), threads});
  for (const LabelledTrack* each : tracks.OfPod("kube_pod_status_phase", pod())) {
    if (each->figure.Label("phase") == "Running") running_ = &each->track;
  }
}

// In the order of preference: the agent's figure, the kubelet's own figure of the pod, its group,
// its containers one by one.
void ImportedPod::FindMemory(const NodeTracks& tracks) {
  const Parts all = tracks.OfPod("container_memory_working_set_bytes", pod());
  const Parts named = With(all, "container", true);
  // Those of /metrics/resource first; cAdvisor names the control group.
  containers_ = FirstOf({With(named, "id", false), With(named, "id", true)});
  memory_ = FirstOf({tracks.OfPod("jettison_pod_memory_working_set_bytes", pod()),
                     tracks.OfPod("pod_memory_working_set_bytes", pod()),
                     With(all, "container", false), containers_});
}

void ImportedPod::FindDisk(const NodeTracks& tracks) {
  const auto find = [&](std::string_view metric, std::string_view kind) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod())) {
      disk_.push_back({.kind = std::string(kind.empty() ? each->figure.Label("kind") : kind),
                       .container = std::string(each->figure.Label("container")),
                       .bytes = &each->track});
    }
    return !disk_.empty();
  };
  if (find("jettison_pod_disk_used_bytes", "")) {
    for (const LabelledTrack* each : tracks.OfPod("jettison_pod_disk_used_inodes", pod())) {
      const auto part = std::ranges::find(disk_, each->figure.Label("kind"), &DiskPart::kind);
      if (part != disk_.end()) part->inodes = &each->track;
    }
  } else if (find("container_fs_usage_bytes", "rootfs")) {  // logs alone do not rank a pod
    find("kubelet_container_log_filesystem_used_bytes", "logs");
  }
}

void ImportedPod::Evicted(Instant at) {
  constexpr double kMissing = 1.75;  // if two samples are that many intervals apart, one is missing
  Absence absence{.from = at};
  for (const LabelledTrack* part : memory_) {
    const auto& points = part->track.points();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Duration apart = Elapsed(points[i - 1].at, points[i].at);
      const bool anew = std::isnan(points[i - 1].value) ||
                        SecondsOf(apart) > SecondsOf(part->track.interval()) * kMissing;
      if (points[i].at <= at || std::isnan(points[i].value) || !anew) continue;
      absence.until = std::min(absence.until.value_or(points[i].at), points[i].at);
      break;
    }
  }
  absences_.push_back(absence);
}

bool ImportedPod::IsThere(Instant at) const {
  if (at < span_.from || at >= span_.to) return false;
  if (std::ranges::any_of(absences_, [&](const Absence& absence) {
        return at >= absence.from && (!absence.until || at < *absence.until);
      })) {
    return false;
  }
  const auto running = running_ == nullptr ? std::nullopt : running_->Last(at);
  return !running || *running == 1;
}

std::optional<PodStats> ImportedPod::At(Instant at) const {
  if (!IsThere(at)) return std::nullopt;
  PodStats stats{.uid = pod().uid, .name = pod().name, .namespace_ = pod().namespace_};
  stats.memory_working_set_bytes = SumAt(memory_, at);
  // Only its figures show that it runs.
  if (!stats.memory_working_set_bytes) return std::nullopt;
  stats.has_memory = true;
  stats.process_count = SumAt(tasks_, at);
  for (const LabelledTrack* part : containers_) {
    if (const auto bytes = CountAt(&part->track, at)) {
      ContainerStats& container = ContainerNamed(part->figure.Label("container"), stats);
      Add(bytes, container.memory_working_set_bytes);
    }
  }
  // A pod without disk figures counts as not measured.
  if (!PutDisk(at, stats)) stats.stale_disk = StaleDisk{};
  return stats;
}

bool ImportedPod::PutDisk(Instant at, PodStats& stats) const {
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
    ContainerStats& container = ContainerNamed(
        part.container.empty() ? pod().containers.front().name : part.container, stats);
    (part.kind == "logs" ? container.logs : container.rootfs) = usage;
  }
  if (!all.used_bytes && !all.inodes_used) return false;
  stats.ephemeral_storage = all;
  return true;
}

std::optional<Instant> ImportedPod::LastSampleBefore(Instant at) const {
  std::optional<Instant> last;
  for (const LabelledTrack* part : memory_) {
    for (const Track::Point& point : part->track.points()) {
      if (point.at >= at) break;
      if (std::isfinite(point.value)) last = std::max(last.value_or(point.at), point.at);
    }
  }
  return last;
}

}  // namespace jettison
