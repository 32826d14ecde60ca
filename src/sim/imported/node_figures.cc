#include "sim/imported/node_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// Averages of the kernel: of the last 10 and 60 seconds.
constexpr Duration kShort = seconds(10);
constexpr Duration kLong = seconds(60);

// When the figure that is known at that moment was sampled.
std::optional<Instant> SampledAt(const Track* track, Instant at) {
  const auto reading = track == nullptr ? std::nullopt : track->At(at);
  if (!reading) return std::nullopt;
  // An interpolated figure counts as sampled at that moment.
  return reading->how == TrackReading::How::kHeld ? reading->sampled : at;
}

// A file system as node_exporter tells it.
struct Mount {
  std::string mountpoint;
  std::string device;
};

// The mount of the path: the longest mount point that the path begins with.
std::optional<Mount> MountOf(const NodeTracks& tracks, const std::string& path) {
  std::optional<Mount> found;
  for (const LabelledTrack& each : tracks.Of("node_filesystem_avail_bytes")) {
    const std::string mountpoint(each.figure.Label("mountpoint"));
    const bool holds = mountpoint == "/" || path == mountpoint ||
                       (path.starts_with(mountpoint) && path[mountpoint.size()] == '/');
    if (mountpoint.empty() || !holds) continue;
    if (!found || mountpoint.size() > found->mountpoint.size()) {
      found = Mount{.mountpoint = mountpoint, .device = std::string(each.figure.Label("device"))};
    }
  }
  return found;
}

StallShares SharesOf(const Track* stalls, Instant at) {
  StallShares shares;
  if (stalls == nullptr) return shares;
  const auto share = [&](Duration span) -> std::optional<std::int32_t> {
    const auto rate = stalls->RateAt(at, span);
    if (!rate) return std::nullopt;
    return static_cast<std::int32_t>(std::lround(std::clamp(*rate, 0.0, 1.0) * kWholeTime));
  };
  // A window that is shorter than the interval of samples is not known.
  if (stalls->interval() <= kShort) shares.avg10 = share(kShort);
  if (stalls->interval() <= kLong) shares.avg60 = share(kLong);
  return shares;
}

}  // namespace

NodeFigures::Signal NodeFigures::Own(std::string_view signal) const {
  const Signal own = {.available = tracks_->Find("jettison_signal_available", {{"signal", signal}}),
                      .capacity = tracks_->Find("jettison_signal_capacity", {{"signal", signal}})};
  return own.available != nullptr && own.capacity != nullptr ? own : Signal{};
}

Result<NodeFigures> NodeFigures::Of(const NodeTracks& tracks, const ImportPaths& paths,
                                    ImportNotes& notes) {
  NodeFigures figures(tracks);
  if (!figures.FindMemory(notes)) {
    return Fail(ErrorCode::kNotFound,
                "no series tells the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes, or "
                "node_memory_* of node_exporter");
  }
  figures.FindPodsMemory(notes);
  figures.FindDisks(paths, notes);
  figures.FindOthers(notes);
  return figures;
}

bool NodeFigures::FindMemory(ImportNotes& notes) {
  own_memory_ = Own("memory.available");
  clock_ = own_memory_.available;
  if (clock_ != nullptr) return true;
  memory_.capacity = tracks_->Find("kube_node_status_capacity", {{"resource", "memory"}});
  for (const std::string_view metric : {"machine_memory_bytes", "node_memory_MemTotal_bytes"}) {
    if (memory_.capacity == nullptr) memory_.capacity = tracks_->Find(metric);
  }
  if (memory_.capacity == nullptr) return false;
  memory_.working_set = tracks_->Find("node_memory_working_set_bytes");
  if (memory_.working_set == nullptr) {
    memory_.working_set = tracks_->Find("container_memory_working_set_bytes", {{"id", "/"}});
  }
  clock_ = memory_.working_set;
  if (clock_ != nullptr) return true;
  memory_.anonymous = tracks_->Find("node_memory_AnonPages_bytes");
  memory_.cached = tracks_->Find("node_memory_Cached_bytes");
  memory_.buffers = tracks_->Find("node_memory_Buffers_bytes");
  memory_.inactive_file = tracks_->Find("node_memory_Inactive_file_bytes");
  if (memory_.anonymous == nullptr || memory_.cached == nullptr ||
      memory_.inactive_file == nullptr) {
    return false;
  }
  clock_ = memory_.anonymous;
  notes.AddOnce(
      "node_memory_working_set_bytes is missing, so the node's working set is taken from "
      "node_exporter as AnonPages + Cached + Buffers - Inactive_file, which is what the kubelet "
      "counts under cgroup v2 but for a few MiB");
  return true;
}

void NodeFigures::FindPodsMemory(ImportNotes& notes) {
  own_pods_memory_ = Own("allocatableMemory.available");
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    if (pods_memory_.working_set != nullptr) break;
    pods_memory_.working_set = tracks_->Find("container_memory_working_set_bytes", {{"id", id}});
    pods_memory_.capacity = tracks_->Find("container_spec_memory_limit_bytes", {{"id", id}});
  }
  const bool known = pods_memory_.working_set != nullptr && pods_memory_.capacity != nullptr;
  if (known || own_pods_memory_.available != nullptr) return;
  notes.AddOnce(
      "the memory of the group of all pods is missing (container_memory_working_set_bytes and "
      "container_spec_memory_limit_bytes of /kubepods), so allocatableMemory.available is unknown: "
      "evictions because pods together exceed node allocatable cannot be told");
}

void NodeFigures::FindDisks(const ImportPaths& paths, ImportNotes& notes) {
  node_fs_ = {.bytes = Own("nodefs.available"), .inodes = Own("nodefs.inodesFree")};
  image_fs_ = {.bytes = Own("imagefs.available"), .inodes = Own("imagefs.inodesFree")};
  if (node_fs_.bytes.available != nullptr) {
    const Track* node = node_fs_.bytes.capacity;
    const Track* image = image_fs_.bytes.capacity;
    layout_.dedicated_image_fs =
        image != nullptr && image->points().front().value != node->points().front().value;
    return;
  }
  const auto find = [&](const Mount& mount) {
    const auto of = [&](std::string_view metric) {
      return tracks_->Find(metric, {{"mountpoint", mount.mountpoint}, {"device", mount.device}});
    };
    return Disk{.bytes = {of("node_filesystem_avail_bytes"), of("node_filesystem_size_bytes")},
                .inodes = {of("node_filesystem_files_free"), of("node_filesystem_files")}};
  };
  const auto node = MountOf(*tracks_, paths.node_fs);
  const auto image = MountOf(*tracks_, paths.image_fs);
  if (!node || !image) {
    notes.AddOnce(
        "node_filesystem_avail_bytes is missing for the file systems of the node, so thresholds on "
        "nodefs and imagefs are never met in this recording");
    return;
  }
  node_fs_ = find(*node);
  image_fs_ = find(*image);
  layout_.dedicated_image_fs = node->device != image->device;
  notes.AddOnce(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->mountpoint, paths.node_fs, image->mountpoint, paths.image_fs,
      layout_.dedicated_image_fs ? "images have a file system of their own"
                                 : "it is one file system"));
}

void NodeFigures::FindOthers(ImportNotes& notes) {
  pids_ = Own("pid.available");
  threads_ = tracks_->Find("node_processes_threads");
  most_processes_ = tracks_->Find("node_processes_max_processes");
  if (pids_.available == nullptr && (threads_ == nullptr || most_processes_ == nullptr)) {
    notes.AddOnce(
        "node_processes_threads and node_processes_max_processes are missing (node_exporter has "
        "them with --collector.processes), so thresholds on pid.available are never met in this "
        "recording");
  }
  memory_stalls_ = {.some = tracks_->Find("node_pressure_memory_waiting_seconds_total"),
                    .full = tracks_->Find("node_pressure_memory_stalled_seconds_total")};
  io_stalls_ = {.some = tracks_->Find("node_pressure_io_waiting_seconds_total"),
                .full = tracks_->Find("node_pressure_io_stalled_seconds_total")};
  if (tracks_->Has("jettison_signal_available")) return;
  if (memory_stalls_.some == nullptr) {
    notes.AddOnce(
        "node_pressure_* is missing, so thresholds on pressure are never met in this recording");
  } else {
    notes.AddOnce(
        memory_stalls_.some->interval() <= kShort
            ? "averages of pressure are made of counters of node_exporter, each second of a window "
              "counting the same; those of the kernel count later ones more"
            : "averages of pressure over 60 s are made of counters of node_exporter, each second "
              "counting the same; scrapes are too far apart for those over 10 s");
  }
}

std::optional<MemoryStats> NodeFigures::MemoryAt(const Signal& own, const Memory& memory,
                                                 Instant at) const {
  std::optional<double> available;
  std::optional<double> capacity;
  std::optional<Instant> time;
  if (own.available != nullptr) {
    available = AmountAt(own.available, at);
    capacity = AmountAt(own.capacity, at);
    time = SampledAt(own.available, at);
  } else if (memory.capacity != nullptr) {
    capacity = AmountAt(memory.capacity, at);
    if (!capacity && memory.capacity->Last(at)) capacity = memory.capacity->Last(at);
    auto used = AmountAt(memory.working_set, at);
    time = SampledAt(memory.working_set, at);
    if (memory.anonymous != nullptr) {
      const auto anonymous = AmountAt(memory.anonymous, at);
      const auto cached = AmountAt(memory.cached, at);
      const auto inactive = AmountAt(memory.inactive_file, at);
      time = SampledAt(memory.anonymous, at);
      if (anonymous && cached && inactive) {
        used = *anonymous + *cached + AmountAt(memory.buffers, at).value_or(0) - *inactive;
      }
    }
    if (used && capacity) available = std::max(*capacity - *used, 0.0);
  }
  if (!available || !capacity) return std::nullopt;
  const std::uint64_t left = CountOf(*available);
  const std::uint64_t all = std::max(CountOf(*capacity), left);
  return MemoryStats{.time = time,
                     .available_bytes = left,
                     .usage_bytes = std::nullopt,
                     .working_set_bytes = all - left};
}

std::optional<FsStats> NodeFigures::DiskAt(const Disk& disk, Instant at) {
  FsStats stats{.time = SampledAt(disk.bytes.available, at),
                .available_bytes = CountAt(disk.bytes.available, at),
                .capacity_bytes = CountAt(disk.bytes.capacity, at),
                .used_bytes = std::nullopt,
                .inodes_free = CountAt(disk.inodes.available, at),
                .inodes = CountAt(disk.inodes.capacity, at)};
  if (!stats.available_bytes && !stats.inodes_free) return std::nullopt;
  return stats;
}

std::optional<PressureStats> NodeFigures::PressureAt(std::string_view resource,
                                                     const Stalls& stalls, Instant at) const {
  PressureStats stats{
      .time = at, .some = SharesOf(stalls.some, at), .full = SharesOf(stalls.full, at)};
  const auto take = [&](std::string_view which, std::optional<std::int32_t>& into) {
    const auto left = AmountAt(Own(fmt::format("{}.pressure.{}", resource, which)).available, at);
    if (left)
      into = static_cast<std::int32_t>(std::lround((1 - std::clamp(*left, 0.0, 1.0)) * kWholeTime));
  };
  take("some.avg10", stats.some.avg10);
  take("some.avg60", stats.some.avg60);
  take("full.avg10", stats.full.avg10);
  take("full.avg60", stats.full.avg60);
  const bool known = stats.some.avg10 || stats.some.avg60 || stats.full.avg10 || stats.full.avg60;
  return known ? std::optional(stats) : std::nullopt;
}

std::optional<SwapStats> NodeFigures::SwapAt(Instant at) const {
  const Signal own = Own("swap.available");
  const Track* left =
      own.available != nullptr ? own.available : tracks_->Find("node_memory_SwapFree_bytes");
  const Track* all =
      own.capacity != nullptr ? own.capacity : tracks_->Find("node_memory_SwapTotal_bytes");
  const auto available = CountAt(left, at);
  const auto capacity = CountAt(all, at);
  if (!available || !capacity) return std::nullopt;
  return SwapStats{.time = SampledAt(left, at),
                   .available_bytes = available,
                   .usage_bytes = *capacity - std::min(*available, *capacity)};
}

std::optional<RlimitStats> NodeFigures::PidsAt(Instant at) const {
  const auto left = CountAt(pids_.available, at);
  const auto all = CountAt(pids_.available != nullptr ? pids_.capacity : most_processes_, at);
  const auto running = CountAt(threads_, at);
  if (!all || (!left && !running)) return std::nullopt;
  const std::uint64_t used = left ? *all - std::min(*left, *all) : *running;
  return RlimitStats{.time = SampledAt(pids_.available != nullptr ? pids_.available : threads_, at),
                     .max_pid = static_cast<std::int64_t>(*all),
                     .running = static_cast<std::int64_t>(used)};
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  stats.memory = MemoryAt(own_memory_, memory_, at);
  stats.pods_memory = MemoryAt(own_pods_memory_, pods_memory_, at);
  stats.swap = SwapAt(at);
  stats.fs = DiskAt(node_fs_, at);
  stats.image_fs = DiskAt(image_fs_, at);
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout_.dedicated_image_fs ? stats.image_fs : stats.fs;
  stats.rlimit = PidsAt(at);
  stats.memory_pressure = PressureAt("memory", memory_stalls_, at);
  stats.io_pressure = PressureAt("io", io_stalls_, at);
  return stats;
}

}  // namespace jettison
