#include "sim/imported/node_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// The figure of the mount that has the path: of the longest mount point that the path begins with.
Track* MountOf(NodeTracks& tracks, const std::string& path) {
  Track* found = nullptr;
  for (Track& each : tracks.Of("node_filesystem_avail_bytes")) {
    const std::string_view mountpoint = each.Label("mountpoint");
    const bool holds = mountpoint == "/" || path == mountpoint ||
                       (path.starts_with(mountpoint) && path[mountpoint.size()] == '/');
    if (mountpoint.empty() || !holds) continue;
    if (found == nullptr || mountpoint.size() > found->Label("mountpoint").size()) found = &each;
  }
  return found;
}

}  // namespace

Result<NodeFigures> NodeFigures::Of(NodeTracks& tracks, const ImportPaths& paths,
                                    std::vector<std::string>& notes) {
  NodeFigures all;
  // The first figure counts of which there are both.
  const auto take = [&](Signal signal, Track* amount, std::vector<Track*> capacities,
                        bool is_used) {
    Figure& figure = all.figures_[IndexOf(signal)];
    std::erase(capacities, nullptr);
    if (figure.amount != nullptr || amount == nullptr || capacities.empty()) return;
    figure = {amount, std::move(capacities), is_used};
  };
  for (const Signal signal : kAllSignals) {
    const NodeTracks::Labels labels = {{"signal", NameOf(signal)}};
    take(signal, tracks.Find("jettison_signal_available", labels),
         {tracks.Find("jettison_signal_capacity", labels)}, false);
    all.figures_[IndexOf(signal)].least = tracks.Find("jettison_signal_available_min", labels);
  }
  for (Track* const used : {tracks.Find("node_memory_working_set_bytes"),
                            tracks.Find("container_memory_working_set_bytes", {{"id", "/"}})}) {
    take(Signal::kMemoryAvailable, used,
         {tracks.Find("kube_node_status_capacity", {{"resource", "memory"}}),
          tracks.Find("machine_memory_bytes"), tracks.Find("node_memory_MemTotal_bytes")},
         true);
  }
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    Track* const limit = tracks.Find("container_spec_memory_limit_bytes", {{"id", id}});
    // cAdvisor tells 0 of a group that has no limit.
    const bool has_limit =
        limit != nullptr &&
        std::ranges::any_of(limit->points(), [](auto& point) { return point.value > 0; });
    take(Signal::kAllocatableMemoryAvailable,
         tracks.Find("container_memory_working_set_bytes", {{"id", id}}),
         {has_limit ? limit : nullptr}, true);
  }
  take(Signal::kPidAvailable, tracks.Find("node_processes_threads"),
       {tracks.Find("node_processes_max_processes")}, true);
  if (all.Of(Signal::kMemoryAvailable).amount == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "no series gives the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes");
  }
  if (all.Of(Signal::kAllocatableMemoryAvailable).amount == nullptr) {
    notes.emplace_back(
        "the memory of the group of all pods is missing or has no limit "
        "(container_memory_working_set_bytes and container_spec_memory_limit_bytes of /kubepods), "
        "so allocatableMemory.available is unknown: evictions because pods together exceed node "
        "allocatable cannot be told");
  }
  all.TakeDisks(tracks, paths, notes);
  if (!tracks.Has("jettison_signal_available")) {
    notes.emplace_back(
        "pressure and swap are told by an agent alone, so thresholds on them are never met in this "
        "recording");
  }
  return all;
}

void NodeFigures::TakeDisks(NodeTracks& tracks, const ImportPaths& paths,
                            std::vector<std::string>& notes) {
  const Figure& agents = Of(Signal::kNodeFsAvailable);
  if (agents.amount != nullptr) {
    const Figure& image = Of(Signal::kImageFsAvailable);
    const auto capacity_of = [](const Figure& disk) {
      return disk.capacities.front()->points().front().value;
    };
    layout_.dedicated_image_fs =
        image.amount != nullptr && capacity_of(image) != capacity_of(agents);
    return;
  }
  Track* node = MountOf(tracks, paths.node_fs);
  Track* image = MountOf(tracks, paths.image_fs);
  if (node == nullptr || image == nullptr) {
    notes.emplace_back(
        "node_filesystem_avail_bytes is missing for the file systems of the node, so thresholds on "
        "nodefs and imagefs are never met in this recording");
    return;
  }
  const auto take = [&](Track& mount, Signal bytes, Signal inodes) {
    const auto of = [&](std::string_view metric) {
      return tracks.Find(
          metric, {{"mountpoint", mount.Label("mountpoint")}, {"device", mount.Label("device")}});
    };
    figures_[IndexOf(bytes)] = {&mount, {of("node_filesystem_size_bytes")}};
    figures_[IndexOf(inodes)] = {of("node_filesystem_files_free"), {of("node_filesystem_files")}};
  };
  take(*node, Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree);
  take(*image, Signal::kImageFsAvailable, Signal::kImageFsInodesFree);
  layout_.dedicated_image_fs = node->Label("device") != image->Label("device");
  notes.push_back(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->Label("mountpoint"), paths.node_fs, image->Label("mountpoint"), paths.image_fs,
      layout_.dedicated_image_fs ? "images have a file system of their own"
                                 : "it is one file system"));
}

void NodeFigures::GrowTo(Instant at) {
  for (const Signal signal : {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable}) {
    const Figure& figure = Of(signal);
    if (figure.amount == nullptr) continue;
    const TrackPoint* const least = figure.least ? figure.least->FirstFrom(at) : nullptr;
    if (least != nullptr) {
      figure.amount->Put(at, least->value);
    } else {
      figure.amount->GrowTo(at, figure.is_used);
    }
  }
}

std::optional<NodeFigures::Left> NodeFigures::LeftAt(Signal signal, Instant at) const {
  const Figure& figure = Of(signal);
  const auto amount = CountAt(figure.amount, at);
  if (!amount) return std::nullopt;
  for (const Track* track : figure.capacities) {
    auto capacity = CountAt(track, at);
    const TrackPoint* last = capacity || track == nullptr ? nullptr : track->LastBefore(at);
    if (last != nullptr && Elapsed(last->at, at) <= kStaleness) capacity = CountOf(last->value);
    if (capacity.value_or(0) == 0) continue;
    const std::uint64_t left = figure.is_used ? *capacity - std::min(*amount, *capacity) : *amount;
    return Left{.available = left, .capacity = std::max(*capacity, left)};
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
    const Track* track = signal ? Of(*signal).amount : nullptr;
    const auto left = track != nullptr ? track->At(at) : std::nullopt;
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
