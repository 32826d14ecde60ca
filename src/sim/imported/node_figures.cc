#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/pressure.h"
#include "sim/imported/figures.h"

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

// The first figure of a signal counts of which there are both.
void Take(NodeFigures& into, Signal signal, Track* amount, std::vector<const Track*> capacities,
          bool is_used) {
  NodeFigures::Figure& figure = into.figures[IndexOf(signal)];
  std::erase(capacities, nullptr);
  if (figure.amount != nullptr || amount == nullptr || capacities.empty()) return;
  figure = {.amount = amount, .capacities = std::move(capacities), .is_used = is_used};
}

void TakeDisks(NodeTracks& tracks, const ImportOptions& options, NodeFigures& into,
               std::vector<std::string>& notes) {
  if (const auto& node = into.Of(Signal::kNodeFsAvailable); node.amount != nullptr) {
    const auto capacity_of = [](const NodeFigures::Figure& disk) {
      return disk.capacities.front()->samples().front().value;
    };
    const auto& image = into.Of(Signal::kImageFsAvailable);
    into.layout.dedicated_image_fs =
        image.amount != nullptr && capacity_of(image) != capacity_of(node);
    return;
  }
  Track* node = MountOf(tracks, options.node_fs);
  Track* image = MountOf(tracks, options.image_fs);
  if (node == nullptr || image == nullptr) return;
  const auto take_mount = [&](Track& mount, Signal bytes, Signal inodes) {
    const auto of = [&](std::string_view metric) {
      return tracks.Find(
          metric, {{"mountpoint", mount.Label("mountpoint")}, {"device", mount.Label("device")}});
    };
    Take(into, bytes, &mount, {of("node_filesystem_size_bytes")}, false);
    Take(into, inodes, of("node_filesystem_files_free"), {of("node_filesystem_files")}, false);
  };
  take_mount(*node, Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree);
  take_mount(*image, Signal::kImageFsAvailable, Signal::kImageFsInodesFree);
  into.layout.dedicated_image_fs = node->Label("device") != image->Label("device");
  notes.push_back(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->Label("mountpoint"), options.node_fs, image->Label("mountpoint"), options.image_fs,
      into.layout.dedicated_image_fs ? "images have a file system of their own"
                                     : "it is one file system"));
}

struct Left {
  double available = 0;
  double capacity = 0;
};

std::optional<Left> LeftAt(const NodeFigures::Figure& figure, Instant at) {
  const auto amount = figure.amount ? figure.amount->At(at) : std::nullopt;
  if (!amount) return std::nullopt;
  for (const Track* track : figure.capacities) {
    const MetricSample* const told = track->LastBefore(at + Duration{1});
    if (told == nullptr || Elapsed(told->at, at) > kStaleness || told->value <= 0) continue;
    const double left = std::max(figure.is_used ? told->value - *amount : *amount, 0.0);
    return Left{.available = left, .capacity = std::max(told->value, left)};
  }
  return std::nullopt;
}

// The opposite of what core/observe does.
void Put(const SignalRow& row, const Left& left, Instant at, NodeStats& stats) {
  const std::uint64_t available = CountOf(left.available);
  const std::uint64_t capacity = CountOf(left.capacity);
  if (row.stall) {
    auto& pressure = row.resource == Resource::kMemory ? stats.memory_pressure : stats.io_pressure;
    if (!pressure) pressure.emplace().time = at;
    StallShares& shares = row.stall->kind == StallKind::kFull ? pressure->full : pressure->some;
    (row.stall->window == kFullAvg10.window ? shares.avg10 : shares.avg60) =
        static_cast<std::int32_t>(
            std::lround(std::clamp(1 - left.available, 0.0, 1.0) * kWholeTime));
    return;
  }
  const auto disk = [&]() -> FsStats& {
    auto& fs = row.disk == FileSystem::kNode ? stats.fs : stats.image_fs;
    if (!fs) fs.emplace().time = at;
    return *fs;
  };
  switch (row.resource) {
    case Resource::kMemory:
      (row.of_pods ? stats.pods_memory : stats.memory) =
          MemoryStats{.time = at,
                      .available_bytes = available,
                      .usage_bytes = std::nullopt,
                      .working_set_bytes = capacity - available};
      break;
    case Resource::kSwap:
      stats.swap =
          SwapStats{.time = at, .available_bytes = available, .usage_bytes = capacity - available};
      break;
    case Resource::kEphemeralStorage:
      disk().available_bytes = available;
      disk().capacity_bytes = capacity;
      break;
    case Resource::kInodes:
      disk().inodes_free = available;
      disk().inodes = capacity;
      break;
    case Resource::kPids:
      stats.rlimit = RlimitStats{.time = at,
                                 .max_pid = static_cast<std::int64_t>(capacity),
                                 .running = static_cast<std::int64_t>(capacity - available)};
      break;
    case Resource::kIo: break;  // its signals are those of stalls
  }
}

}  // namespace

Result<NodeFigures> NodeFiguresIn(NodeTracks& tracks, const ImportOptions& options,
                                  std::vector<std::string>& notes) {
  NodeFigures all;
  for (const Signal signal : kAllSignals) {
    const NodeTracks::Labels labels = {{"signal", NameOf(signal)}};
    Take(all, signal, tracks.Find("jettison_signal_available", labels),
         {tracks.Find("jettison_signal_capacity", labels)}, false);
    all.figures[IndexOf(signal)].least = tracks.Find("jettison_signal_available_min", labels);
  }
  for (Track* const used : {tracks.Find("node_memory_working_set_bytes"),
                            tracks.Find("container_memory_working_set_bytes", {{"id", "/"}})}) {
    Take(all, Signal::kMemoryAvailable, used,
         {tracks.Find("kube_node_status_capacity", {{"resource", "memory"}}),
          tracks.Find("machine_memory_bytes"), tracks.Find("node_memory_MemTotal_bytes")},
         true);
  }
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    const Track* const limit = tracks.Find("container_spec_memory_limit_bytes", {{"id", id}});
    // cAdvisor tells 0 of a group that has no limit.
    if (limit == nullptr || limit->samples().back().value == 0) continue;
    Take(all, Signal::kAllocatableMemoryAvailable,
         tracks.Find("container_memory_working_set_bytes", {{"id", id}}), {limit}, true);
  }
  Take(all, Signal::kPidAvailable, tracks.Find("node_processes_threads"),
       {tracks.Find("node_processes_max_processes")}, true);
  if (all.Of(Signal::kMemoryAvailable).amount == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "no series gives the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes");
  }
  TakeDisks(tracks, options, all, notes);
  return all;
}

void NodeFigures::GrowTo(Instant at) {
  for (const Signal signal : {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable}) {
    const Figure& figure = Of(signal);
    if (figure.amount != nullptr) figure.amount->GrowTo(at, figure.is_used, figure.least);
  }
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  for (const Signal signal : kAllSignals) {
    const SignalRow& row = RowOf(signal);
    if (row.disk == FileSystem::kContainer) continue;
    if (const auto left = LeftAt(Of(signal), at)) Put(row, *left, at, stats);
  }
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout.dedicated_image_fs ? stats.image_fs : stats.fs;
  return stats;
}

}  // namespace jettison
