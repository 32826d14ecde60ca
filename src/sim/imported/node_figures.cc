#include "sim/imported/node_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// cAdvisor tells 0 of a group that has no limit: that is no capacity.
std::optional<double> CapacityAt(const std::vector<const Track*>& capacities, Instant at) {
  for (const Track* capacity : capacities) {
    if (capacity == nullptr) continue;
    for (const auto& amount : {AmountAt(capacity, at), capacity->Last(at)}) {
      if (amount && *amount > 0) return amount;
    }
  }
  return std::nullopt;
}

std::optional<double> WorkingSetAt(const MemorySource& source, Instant at) {
  if (source.working_set != nullptr) return AmountAt(source.working_set, at);
  const auto anonymous = AmountAt(source.anonymous, at);
  const auto cached = AmountAt(source.cached, at);
  const auto inactive = AmountAt(source.inactive_file, at);
  if (!anonymous || !cached || !inactive) return std::nullopt;
  return *anonymous + *cached + AmountAt(source.buffers, at).value_or(0) - *inactive;
}

using std::chrono::seconds;

// Averages of the kernel: of the last 10 and 60 seconds.
constexpr Duration kShort = seconds(10);
constexpr Duration kLong = seconds(60);

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

std::optional<Instant> SampledAt(const Track* track, Instant at) {
  const auto reading = track == nullptr ? std::nullopt : track->At(at);
  if (!reading) return std::nullopt;
  return reading->how == TrackReading::How::kHeld ? reading->sampled : at;
}

const Track* MemorySource::clock() const {
  if (available != nullptr) return available;
  return working_set != nullptr ? working_set : anonymous;
}

std::optional<MemoryStats> MemorySource::At(Instant at) const {
  const auto capacity = CapacityAt(capacities, at);
  if (!capacity) return std::nullopt;
  auto left = AmountAt(available, at);
  if (available == nullptr) {
    if (const auto used = WorkingSetAt(*this, at)) left = std::max(*capacity - *used, 0.0);
  }
  if (!left) return std::nullopt;
  const std::uint64_t available_bytes = CountOf(*left);
  const std::uint64_t all = std::max(CountOf(*capacity), available_bytes);
  return MemoryStats{.time = SampledAt(clock(), at),
                     .available_bytes = available_bytes,
                     .usage_bytes = std::nullopt,
                     .working_set_bytes = all - available_bytes};
}

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
                "no series gives the node's memory: there must be jettison_signal_available with "
                "jettison_signal_capacity, node_memory_working_set_bytes (/metrics/resource) with "
                "kube_node_status_capacity, machine_memory_bytes or node_memory_MemTotal_bytes, or "
                "node_memory_* of node_exporter");
  }
  figures.FindPodsMemory(notes);
  figures.FindDisks(paths, notes);
  figures.FindOthers(notes);
  return figures;
}

MemorySource NodeFigures::OwnMemory(std::string_view signal) const {
  const Signal own = Own(signal);
  return {.capacities = {own.capacity}, .available = own.available};
}

bool NodeFigures::FindMemory(ImportNotes& notes) {
  std::vector<const Track*> capacities = {
      tracks_->Find("kube_node_status_capacity", {{"resource", "memory"}}),
      tracks_->Find("machine_memory_bytes"), tracks_->Find("node_memory_MemTotal_bytes")};
  std::erase(capacities, nullptr);
  const std::vector<MemorySource> sources = {
      OwnMemory("memory.available"),
      {.capacities = capacities, .working_set = tracks_->Find("node_memory_working_set_bytes")},
      {.capacities = capacities,
       .working_set = tracks_->Find("container_memory_working_set_bytes", {{"id", "/"}})},
      {.capacities = capacities,
       .anonymous = tracks_->Find("node_memory_AnonPages_bytes"),
       .cached = tracks_->Find("node_memory_Cached_bytes"),
       .buffers = tracks_->Find("node_memory_Buffers_bytes"),
       .inactive_file = tracks_->Find("node_memory_Inactive_file_bytes")}};
  const auto first = std::ranges::find_if(sources, [](const MemorySource& source) {
    const bool has_parts = source.cached != nullptr && source.inactive_file != nullptr;
    return source.clock() != nullptr && !source.capacities.empty() &&
           (source.clock() != source.anonymous || has_parts);
  });
  if (first == sources.end()) return false;
  memory_ = *first;
  if (memory_.anonymous != nullptr) {
    notes.AddOnce(
        "node_memory_working_set_bytes is missing, so the node's working set is taken from "
        "node_exporter as AnonPages + Cached + Buffers - Inactive_file, which is what the kubelet "
        "counts under cgroup v2 but for a few MiB");
  }
  return true;
}

void NodeFigures::FindPodsMemory(ImportNotes& notes) {
  std::vector<MemorySource> sources = {OwnMemory("allocatableMemory.available")};
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    sources.push_back(
        {.capacities = {tracks_->Find("container_spec_memory_limit_bytes", {{"id", id}})},
         .working_set = tracks_->Find("container_memory_working_set_bytes", {{"id", id}})});
  }
  const auto tells = [](const MemorySource& source) {
    return source.clock() != nullptr && source.capacities.front() != nullptr;
  };
  const auto has_limit = [&](const MemorySource& source) {
    return tells(source) &&
           std::ranges::any_of(source.capacities.front()->points(),
                               [](const Track::Point& point) { return point.value > 0; });
  };
  if (const auto first = std::ranges::find_if(sources, has_limit); first != sources.end()) {
    pods_memory_ = *first;
    return;
  }
  if (std::ranges::any_of(sources, tells)) {
    return notes.AddOnce(
        "container_spec_memory_limit_bytes of /kubepods is 0: the group of all pods has no limit, "
        "so allocatableMemory.available is unknown, and evictions because pods together exceed "
        "node allocatable cannot be told");
  }
  notes.AddOnce(
      "the memory of the group of all pods is missing (container_memory_working_set_bytes and "
      "container_spec_memory_limit_bytes of /kubepods), so allocatableMemory.available is unknown: "
      "evictions because pods together exceed node allocatable cannot be told");
}

bool NodeFigures::FindOwnDisks() {
  const Disks own = {
      .node = {.bytes = Own("nodefs.available"), .inodes = Own("nodefs.inodesFree")},
      .image = {.bytes = Own("imagefs.available"), .inodes = Own("imagefs.inodesFree")}};
  if (own.node.bytes.available == nullptr) return false;
  const Track* node = own.node.bytes.capacity;
  const Track* image = own.image.bytes.capacity;
  layout_.dedicated_image_fs =
      image != nullptr && image->points().front().value != node->points().front().value;
  disks_ = own;
  return true;
}

// The longest mount point that the path begins with.
std::optional<NodeFigures::Mount> NodeFigures::MountOf(const std::string& path) const {
  std::optional<Mount> found;
  for (const LabelledTrack& each : tracks_->Of("node_filesystem_avail_bytes")) {
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

NodeFigures::Disk NodeFigures::DiskOf(const Mount& mount) const {
  const auto of = [&](std::string_view metric) {
    return tracks_->Find(metric, {{"mountpoint", mount.mountpoint}, {"device", mount.device}});
  };
  return {.bytes = {of("node_filesystem_avail_bytes"), of("node_filesystem_size_bytes")},
          .inodes = {of("node_filesystem_files_free"), of("node_filesystem_files")}};
}

void NodeFigures::FindDisks(const ImportPaths& paths, ImportNotes& notes) {
  if (FindOwnDisks()) return;
  const auto node = MountOf(paths.node_fs);
  const auto image = MountOf(paths.image_fs);
  if (!node || !image) {
    return notes.AddOnce(
        "node_filesystem_avail_bytes is missing for the file systems of the node, so thresholds on "
        "nodefs and imagefs are never met in this recording");
  }
  disks_ = {.node = DiskOf(*node), .image = DiskOf(*image)};
  layout_.dedicated_image_fs = node->device != image->device;
  notes.AddOnce(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->mountpoint, paths.node_fs, image->mountpoint, paths.image_fs,
      layout_.dedicated_image_fs ? "images have a file system of their own"
                                 : "it is one file system"));
}

void NodeFigures::FindOthers(ImportNotes& notes) {
  swap_ = Own("swap.available");
  if (swap_.available == nullptr) {
    swap_ = {.available = tracks_->Find("node_memory_SwapFree_bytes"),
             .capacity = tracks_->Find("node_memory_SwapTotal_bytes")};
  }
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
  const auto available = CountAt(swap_.available, at);
  const auto capacity = CountAt(swap_.capacity, at);
  if (!available || !capacity) return std::nullopt;
  return SwapStats{.time = SampledAt(swap_.available, at),
                   .available_bytes = available,
                   .usage_bytes = *capacity - std::min(*available, *capacity)};
}

std::optional<RlimitStats> NodeFigures::PidsAt(Instant at) const {
  const auto stats = [&](const Track* sampled, std::uint64_t all, std::uint64_t running) {
    return RlimitStats{.time = SampledAt(sampled, at),
                       .max_pid = static_cast<std::int64_t>(all),
                       .running = static_cast<std::int64_t>(running)};
  };
  const auto left = CountAt(pids_.available, at);
  const auto all = CountAt(pids_.capacity, at);
  if (left && all) return stats(pids_.available, *all, *all - std::min(*left, *all));
  const auto running = CountAt(threads_, at);
  const auto most = CountAt(most_processes_, at);
  if (!running || !most) return std::nullopt;
  return stats(threads_, *most, *running);
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  stats.memory = memory_.At(at);
  stats.pods_memory = pods_memory_.At(at);
  stats.swap = SwapAt(at);
  stats.fs = DiskAt(disks_.node, at);
  stats.image_fs = DiskAt(disks_.image, at);
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout_.dedicated_image_fs ? stats.image_fs : stats.fs;
  stats.rlimit = PidsAt(at);
  stats.memory_pressure = PressureAt("memory", memory_stalls_, at);
  stats.io_pressure = PressureAt("io", io_stalls_, at);
  return stats;
}

}  // namespace jettison
