#include "sim/imported/node_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// Averages of the kernel: of the last 10 and 60 seconds.
constexpr Duration kShort = std::chrono::seconds(10);
constexpr Duration kLong = std::chrono::seconds(60);

// cAdvisor tells 0 of a group that has no limit: that is no capacity.
std::optional<double> CapacityAt(const std::vector<const Track*>& capacities, Instant at) {
  for (const Track* capacity : capacities) {
    for (const auto& amount : {AmountAt(capacity, at), capacity->Last(at)}) {
      if (amount && *amount > 0) return amount;
    }
  }
  return std::nullopt;
}

std::int32_t ShareOf(double rate) {
  return static_cast<std::int32_t>(std::lround(std::clamp(rate, 0.0, 1.0) * kWholeTime));
}

// A window that is shorter than the interval of samples is not known.
std::optional<std::int32_t> StallsAt(const Track* stalls, Duration window, Instant at) {
  if (stalls == nullptr || stalls->interval() > window) return std::nullopt;
  const auto rate = stalls->RateAt(at, window);
  return rate ? std::optional(ShareOf(*rate)) : std::nullopt;
}

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

std::optional<MemoryStats> NodeFigures::Memory::At(Instant at) const {
  const auto capacity = CapacityAt(capacities, at);
  if (!capacity) return std::nullopt;
  double left = *capacity;
  if (available != nullptr) {
    const auto amount = AmountAt(available, at);
    if (!amount) return std::nullopt;
    left = *amount;
  } else {
    for (const Track* part : used) {
      const auto amount = AmountAt(part, at);
      if (!amount) return std::nullopt;
      left -= *amount;
    }
    left += AmountAt(inactive_file, at).value_or(0);
  }
  const std::uint64_t available_bytes = CountOf(left);
  const std::uint64_t all = std::max(CountOf(*capacity), available_bytes);
  return MemoryStats{.time = SampledAt(clock, at),
                     .available_bytes = available_bytes,
                     .usage_bytes = std::nullopt,
                     .working_set_bytes = all - available_bytes};
}

std::optional<FsStats> NodeFigures::Disk::At(Instant at) const {
  FsStats stats{.time = SampledAt(bytes.available, at),
                .available_bytes = CountAt(bytes.available, at),
                .capacity_bytes = CountAt(bytes.capacity, at),
                .used_bytes = std::nullopt,
                .inodes_free = CountAt(inodes.available, at),
                .inodes = CountAt(inodes.capacity, at)};
  if (!stats.available_bytes && !stats.inodes_free) return std::nullopt;
  return stats;
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
  figures.NoteOthers(notes);
  return figures;
}

NodeFigures::Amount NodeFigures::Own(std::string_view signal) const {
  const Amount own = {.available = tracks_->Find("jettison_signal_available", {{"signal", signal}}),
                      .capacity = tracks_->Find("jettison_signal_capacity", {{"signal", signal}})};
  return own.available != nullptr && own.capacity != nullptr ? own : Amount{};
}

NodeFigures::Memory NodeFigures::OwnMemory(std::string_view signal) const {
  const auto [available, capacity] = Own(signal);
  return {.clock = available, .capacities = {capacity}, .available = available, .used = {}};
}

bool NodeFigures::FindMemory(ImportNotes& notes) {
  memory_ = OwnMemory("memory.available");
  if (memory_.clock != nullptr) return true;
  memory_.capacities = {tracks_->Find("kube_node_status_capacity", {{"resource", "memory"}}),
                        tracks_->Find("machine_memory_bytes"),
                        tracks_->Find("node_memory_MemTotal_bytes")};
  std::erase(memory_.capacities, nullptr);
  if (memory_.capacities.empty()) return false;
  for (const Track* whole : {tracks_->Find("node_memory_working_set_bytes"),
                             tracks_->Find("container_memory_working_set_bytes", {{"id", "/"}})}) {
    if (whole == nullptr) continue;
    memory_.clock = whole;
    memory_.used = {whole};
    return true;
  }
  memory_.used = {tracks_->Find("node_memory_AnonPages_bytes"),
                  tracks_->Find("node_memory_Cached_bytes"),
                  tracks_->Find("node_memory_Buffers_bytes")};
  std::erase(memory_.used, nullptr);
  memory_.inactive_file = tracks_->Find("node_memory_Inactive_file_bytes");
  constexpr std::size_t kLeastParts = 2;  // older ones have no buffers
  if (memory_.used.size() < kLeastParts || memory_.inactive_file == nullptr) return false;
  memory_.clock = memory_.used.front();
  notes.Add(
      "node_memory_working_set_bytes is missing, so the node's working set is taken from "
      "node_exporter as AnonPages + Cached + Buffers - Inactive_file, which is what the kubelet "
      "counts under cgroup v2 but for a few MiB");
  return true;
}

void NodeFigures::FindPodsMemory(ImportNotes& notes) {
  pods_memory_ = OwnMemory("allocatableMemory.available");
  if (pods_memory_.clock != nullptr) return;
  bool has_no_limit = false;
  for (const std::string_view id : {"/kubepods.slice", "/kubepods"}) {
    const Track* limit = tracks_->Find("container_spec_memory_limit_bytes", {{"id", id}});
    const Track* used = tracks_->Find("container_memory_working_set_bytes", {{"id", id}});
    if (limit == nullptr || used == nullptr) continue;
    has_no_limit =
        std::ranges::none_of(limit->points(), [](const auto& point) { return point.value > 0; });
    if (has_no_limit) continue;
    pods_memory_ = {.clock = used, .capacities = {limit}, .used = {used}};
    return;
  }
  pods_memory_ = {};
  notes.Add(
      std::string(
          has_no_limit
              ? "container_spec_memory_limit_bytes of /kubepods is 0: the group of all pods "
                "has no limit"
              : "the memory of the group of all pods is missing "
                "(container_memory_working_set_bytes and container_spec_memory_limit_bytes "
                "of /kubepods)") +
      ", so allocatableMemory.available is unknown: evictions because pods together exceed node "
      "allocatable cannot be told");
}

void NodeFigures::FindDisks(const ImportPaths& paths, ImportNotes& notes) {
  if (const Amount own = Own("nodefs.available"); own.available != nullptr) {
    node_fs_ = {.bytes = own, .inodes = Own("nodefs.inodesFree")};
    image_fs_ = {.bytes = Own("imagefs.available"), .inodes = Own("imagefs.inodesFree")};
    const Track* image = image_fs_.bytes.capacity;
    layout_.dedicated_image_fs =
        image != nullptr && image->points().front().value != own.capacity->points().front().value;
    return;
  }
  const LabelledTrack* node = MountOf(*tracks_, paths.node_fs);
  const LabelledTrack* image = MountOf(*tracks_, paths.image_fs);
  if (node == nullptr || image == nullptr) {
    return notes.Add(
        "node_filesystem_avail_bytes is missing for the file systems of the node, so thresholds on "
        "nodefs and imagefs are never met in this recording");
  }
  const auto disk_of = [this](const LabelledTrack& mount) -> Disk {
    const auto of = [&](std::string_view metric) {
      return tracks_->Find(metric, {{"mountpoint", mount.figure.Label("mountpoint")},
                                    {"device", mount.figure.Label("device")}});
    };
    return {.bytes = {&mount.track, of("node_filesystem_size_bytes")},
            .inodes = {of("node_filesystem_files_free"), of("node_filesystem_files")}};
  };
  node_fs_ = disk_of(*node);
  image_fs_ = disk_of(*image);
  layout_.dedicated_image_fs = node->figure.Label("device") != image->figure.Label("device");
  notes.Add(fmt::format(
      "nodefs is taken to be what is mounted at {}, which holds {}, and imagefs what is mounted at "
      "{}, which holds {}: {}",
      node->figure.Label("mountpoint"), paths.node_fs, image->figure.Label("mountpoint"),
      paths.image_fs,
      layout_.dedicated_image_fs ? "images have a file system of their own"
                                 : "it is one file system"));
}

void NodeFigures::NoteOthers(ImportNotes& notes) const {
  if (tracks_->Has("jettison_signal_available")) return;
  if (!tracks_->Has("node_processes_threads") || !tracks_->Has("node_processes_max_processes")) {
    notes.Add(
        "node_processes_threads and node_processes_max_processes are missing (node_exporter has "
        "them with --collector.processes), so thresholds on pid.available are never met in this "
        "recording");
  }
  const Track* stalls = tracks_->Find("node_pressure_memory_waiting_seconds_total");
  if (stalls == nullptr) {
    return notes.Add(
        "node_pressure_* is missing, so thresholds on pressure are never met in this recording");
  }
  notes.Add(fmt::format(
      "averages of pressure are made of counters of node_exporter, each second of a window "
      "counting "
      "the same; those of the kernel count later ones more{}",
      stalls->interval() <= kShort ? "" : ", and scrapes are too far apart for those over 10 s"));
}

std::optional<PressureStats> NodeFigures::PressureAt(std::string_view resource, Instant at) const {
  const auto of = [&](std::string_view kind, std::string_view counter) {
    const Track* stalls =
        tracks_->Find(fmt::format("node_pressure_{}_{}_seconds_total", resource, counter));
    const auto share = [&](std::string_view window, Duration span) {
      const auto left =
          AmountAt(Own(fmt::format("{}.pressure.{}.{}", resource, kind, window)).available, at);
      return left ? std::optional(ShareOf(1 - *left)) : StallsAt(stalls, span, at);
    };
    return StallShares{.avg10 = share("avg10", kShort), .avg60 = share("avg60", kLong)};
  };
  const PressureStats stats{
      .time = at, .some = of("some", "waiting"), .full = of("full", "stalled")};
  const bool known = stats.some.avg10 || stats.some.avg60 || stats.full.avg10 || stats.full.avg60;
  return known ? std::optional(stats) : std::nullopt;
}

std::optional<SwapStats> NodeFigures::SwapAt(Instant at) const {
  Amount swap = Own("swap.available");
  if (swap.available == nullptr) {
    swap = {tracks_->Find("node_memory_SwapFree_bytes"),
            tracks_->Find("node_memory_SwapTotal_bytes")};
  }
  const auto available = CountAt(swap.available, at);
  const auto capacity = CountAt(swap.capacity, at);
  if (!available || !capacity) return std::nullopt;
  return SwapStats{.time = SampledAt(swap.available, at),
                   .available_bytes = available,
                   .usage_bytes = *capacity - std::min(*available, *capacity)};
}

std::optional<RlimitStats> NodeFigures::PidsAt(Instant at) const {
  const Amount own = Own("pid.available");
  const bool is_own = own.available != nullptr;
  const Track* sampled = is_own ? own.available : tracks_->Find("node_processes_threads");
  const auto all =
      CountAt(is_own ? own.capacity : tracks_->Find("node_processes_max_processes"), at);
  const auto amount = CountAt(sampled, at);
  if (!amount || !all) return std::nullopt;
  const std::uint64_t running = is_own ? *all - std::min(*amount, *all) : *amount;
  return RlimitStats{.time = SampledAt(sampled, at),
                     .max_pid = static_cast<std::int64_t>(*all),
                     .running = static_cast<std::int64_t>(running)};
}

NodeStats NodeFigures::At(const std::string& node, Instant at) const {
  NodeStats stats{.node_name = node};
  stats.memory = memory_.At(at);
  stats.pods_memory = pods_memory_.At(at);
  stats.swap = SwapAt(at);
  stats.fs = node_fs_.At(at);
  stats.image_fs = image_fs_.At(at);
  // Writable layers are beside the images, unless the file systems are split.
  stats.container_fs = layout_.dedicated_image_fs ? stats.image_fs : stats.fs;
  stats.rlimit = PidsAt(at);
  stats.memory_pressure = PressureAt("memory", at);
  stats.io_pressure = PressureAt("io", at);
  return stats;
}

}  // namespace jettison
