#include "sim/imported/node_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// The figure of the mount that has the path: of the longest mount point that the path begins with.
const LabelledTrack* MountOf(const NodeTracks& tracks, const std::string& path) {
  const LabelledTrack* found = nullptr;
  for (const LabelledTrack& each : tracks.Of("node_filesystem_avail_bytes")) {
    const std::string_view mountpoint = each.figure.Label("mountpoint");
    const bool holds = mountpoint == "/" || path == mountpoint ||
                       (path.starts_with(mountpoint) && path[mountpoint.size()] == '/');
    if (mountpoint.empty() || !holds) continue;
    if (found == nullptr || mountpoint.size() > found->figure.Label("mountpoint").size()) {
      found = &each;
    }
  }
  return found;
}

}  // namespace

Result<NodeFigures> NodeFigures::Of(const NodeTracks& tracks, const ImportPaths& paths,
                                    ImportNotes& notes) {
  NodeFigures figures;
  for (const Signal signal : kAllSignals) {
    const Track* available = tracks.Find("jettison_signal_available", {{"signal", NameOf(signal)}});
    const Track* capacity = tracks.Find("jettison_signal_capacity", {{"signal", NameOf(signal)}});
    if (available == nullptr || capacity == nullptr) continue;
    figures.figures_[IndexOf(signal)] = {.amount = available, .capacities = {capacity}};
  }
  figures.TakeMemory(tracks, notes);
  const Figure& memory = figures.Of(Signal::kMemoryAvailable);
  if (memory.amount == nullptr || memory.capacities.empty()) {
    return Fail(ErrorCode::kNotFound,
                "no series gives the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes");
  }
  figures.TakeDisks(tracks, paths, notes);
  figures.TakeOthers(tracks, notes);
  return figures;
}

void NodeFigures::TakeMemory(const NodeTracks& tracks, ImportNotes& notes) {
  Figure& node = figures_[IndexOf(Signal::kMemoryAvailable)];
  if (node.amount == nullptr) {
    node = {.amount = tracks.Find("node_memory_working_set_bytes"),
            .is_used = true,
            .capacities = {tracks.Find("kube_node_status_capacity", {{"resource", "memory"}}),
                           tracks.Find("machine_memory_bytes"),
                           tracks.Find("node_memory_MemTotal_bytes")}};
    std::erase(node.capacities, nullptr);
    if (node.amount == nullptr) {
      node.amount = tracks.Find("container_memory_working_set_bytes", {{"id", "/"}});
    }
  }
  Figure& pods = figures_[IndexOf(Signal::kAllocatableMemoryAvailable)];
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    const Track* limit = tracks.Find("container_spec_memory_limit_bytes", {{"id", id}});
    const Track* used = tracks.Find("container_memory_working_set_bytes", {{"id", id}});
    if (pods.amount != nullptr || limit == nullptr || used == nullptr) continue;
    // cAdvisor tells 0 of a group that has no limit.
    const bool has_limit =
        std::ranges::any_of(limit->points(), [](const auto& point) { return point.value > 0; });
    if (has_limit) pods = {.amount = used, .is_used = true, .capacities = {limit}};
  }
  if (pods.amount != nullptr) return;
  notes.Add(
      "the memory of the group of all pods is missing or has no limit "
      "(container_memory_working_set_bytes and container_spec_memory_limit_bytes of /kubepods), so "
      "allocatableMemory.available is unknown: evictions because pods together exceed node "
      "allocatable cannot be told");
}

void NodeFigures::TakeDisks(const NodeTracks& tracks, const ImportPaths& paths,
                            ImportNotes& notes) {
  if (Of(Signal::kNodeFsAvailable).amount != nullptr) {
    const Figure& image = Of(Signal::kImageFsAvailable);
    const auto capacity_of = [](const Figure& disk) {
      return disk.capacities.front()->points().front().value;
    };
    layout_.dedicated_image_fs =
        image.amount != nullptr && capacity_of(image) != capacity_of(Of(Signal::kNodeFsAvailable));
    return;
  }
  const LabelledTrack* node = MountOf(tracks, paths.node_fs);
  const LabelledTrack* image = MountOf(tracks, paths.image_fs);
  if (node == nullptr || image == nullptr) {
    return notes.Add(
        "node_filesystem_avail_bytes is missing for the file systems of the node, so thresholds on "
        "nodefs and imagefs are never met in this recording");
  }
  const auto take = [&](const LabelledTrack& mount, Signal bytes, Signal inodes) {
    const auto of = [&](std::string_view metric) {
      return tracks.Find(metric, {{"mountpoint", mount.figure.Label("mountpoint")},
                                  {"device", mount.figure.Label("device")}});
    };
    figures_[IndexOf(bytes)] = {.amount = &mount.track,
                                .capacities = {of("node_filesystem_size_bytes")}};
    figures_[IndexOf(inodes)] = {.amount = of("node_filesystem_files_free"),
                                 .capacities = {of("node_filesystem_files")}};
  };
  take(*node, Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree);
  take(*image, Signal::kImageFsAvailable, Signal::kImageFsInodesFree);
  layout_.dedicated_image_fs = node->figure.Label("device") != image->figure.Label("device");
  notes.Add(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->figure.Label("mountpoint"), paths.node_fs, image->figure.Label("mountpoint"),
      paths.image_fs,
      layout_.dedicated_image_fs ? "images have a file system of their own"
                                 : "it is one file system"));
}

void NodeFigures::TakeOthers(const NodeTracks& tracks, ImportNotes& notes) {
  if (tracks.Has("jettison_signal_available")) return;
  figures_[IndexOf(Signal::kPidAvailable)] = {
      .amount = tracks.Find("node_processes_threads"),
      .is_used = true,
      .capacities = {tracks.Find("node_processes_max_processes")}};
  notes.Add(
      "pressure and swap are told by an agent alone, so thresholds on them are never met in this "
      "recording");
}

std::optional<NodeFigures::Left> NodeFigures::LeftAt(Signal signal, Instant at) const {
  const Figure& figure = Of(signal);
  const auto amount = AmountAt(figure.amount, at);
  if (!amount) return std::nullopt;
  for (const Track* track : figure.capacities) {
    if (track == nullptr) continue;
    for (const auto& capacity : {AmountAt(track, at), track->Last(at)}) {
      if (!capacity || *capacity <= 0) continue;
      const std::uint64_t left = CountOf(figure.is_used ? *capacity - *amount : *amount);
      return Left{.available = left, .capacity = std::max(CountOf(*capacity), left)};
    }
  }
  return std::nullopt;
}

std::optional<MemoryStats> NodeFigures::MemoryAt(Signal signal, Instant at) const {
  const auto left = LeftAt(signal, at);
  if (!left) return std::nullopt;
  return MemoryStats{.time = at,
                     .available_bytes = left->available,
                     .usage_bytes = std::nullopt,
                     .working_set_bytes = left->capacity - left->available};
}

std::optional<FsStats> NodeFigures::DiskAt(Signal bytes, Signal inodes, Instant at) const {
  const auto left = LeftAt(bytes, at);
  const auto left_inodes = LeftAt(inodes, at);
  if (!left && !left_inodes) return std::nullopt;
  FsStats stats{.time = at, .used_bytes = std::nullopt};
  if (left) stats.available_bytes = left->available, stats.capacity_bytes = left->capacity;
  if (left_inodes) stats.inodes_free = left_inodes->available, stats.inodes = left_inodes->capacity;
  return stats;
}

std::optional<PressureStats> NodeFigures::PressureAt(std::string_view resource, Instant at) const {
  const auto share = [&](std::string_view kind,
                         std::string_view window) -> std::optional<std::int32_t> {
    const auto signal = SignalNamed(fmt::format("{}.pressure.{}.{}", resource, kind, window));
    const auto left = signal ? AmountAt(Of(*signal).amount, at) : std::nullopt;
    if (!left) return std::nullopt;
    return static_cast<std::int32_t>(std::lround(std::clamp(1 - *left, 0.0, 1.0) * kWholeTime));
  };
  const PressureStats stats{
      .time = at,
      .some = {.avg10 = share("some", "avg10"), .avg60 = share("some", "avg60")},
      .full = {.avg10 = share("full", "avg10"), .avg60 = share("full", "avg60")}};
  const bool known = stats.some.avg10 || stats.some.avg60 || stats.full.avg10 || stats.full.avg60;
  return known ? std::optional(stats) : std::nullopt;
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  stats.memory = MemoryAt(Signal::kMemoryAvailable, at);
  stats.pods_memory = MemoryAt(Signal::kAllocatableMemoryAvailable, at);
  if (const auto swap = LeftAt(Signal::kSwapAvailable, at)) {
    stats.swap = SwapStats{.time = at,
                           .available_bytes = swap->available,
                           .usage_bytes = swap->capacity - swap->available};
  }
  stats.fs = DiskAt(Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree, at);
  stats.image_fs = DiskAt(Signal::kImageFsAvailable, Signal::kImageFsInodesFree, at);
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout_.dedicated_image_fs ? stats.image_fs : stats.fs;
  if (const auto pids = LeftAt(Signal::kPidAvailable, at)) {
    stats.rlimit =
        RlimitStats{.time = at,
                    .max_pid = static_cast<std::int64_t>(pids->capacity),
                    .running = static_cast<std::int64_t>(pids->capacity - pids->available)};
  }
  stats.memory_pressure = PressureAt("memory", at);
  stats.io_pressure = PressureAt("io", at);
  return stats;
}

}  // namespace jettison
