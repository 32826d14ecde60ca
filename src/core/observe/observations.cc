#include "core/observe/observations.h"

#include "core/model/pressure.h"

namespace jettison {
namespace {

std::int64_t Signed(std::uint64_t amount) {
  return static_cast<std::int64_t>(amount);
}

std::optional<Observation> Memory(const std::optional<MemoryStats>& memory) {
  if (!memory || !memory->available_bytes || !memory->working_set_bytes) return std::nullopt;
  return Observation{
      .available = Signed(*memory->available_bytes),
      .capacity = Signed(*memory->available_bytes + *memory->working_set_bytes),
      .time = memory->time,
      .usage = memory->usage_bytes ? std::optional(Signed(*memory->usage_bytes)) : std::nullopt};
}

// The capacity is what is free plus what the node has taken. A node without swap has no such
// signal.
std::optional<Observation> Swap(const std::optional<SwapStats>& swap) {
  if (!swap || !swap->available_bytes || !swap->usage_bytes) return std::nullopt;
  const std::uint64_t all = *swap->available_bytes + *swap->usage_bytes;
  if (all == 0) return std::nullopt;
  return Observation{
      .available = Signed(*swap->available_bytes), .capacity = Signed(all), .time = swap->time};
}

std::optional<Observation> Disk(const std::optional<FsStats>& fs, bool of_inodes) {
  if (!fs) return std::nullopt;
  const auto& available = of_inodes ? fs->inodes_free : fs->available_bytes;
  const auto& capacity = of_inodes ? fs->inodes : fs->capacity_bytes;
  if (!available || !capacity) return std::nullopt;
  return Observation{
      .available = Signed(*available), .capacity = Signed(*capacity), .time = fs->time};
}

std::optional<Observation> Pids(const std::optional<RlimitStats>& rlimit) {
  if (!rlimit || !rlimit->max_pid || !rlimit->running) return std::nullopt;
  // Wraps around like the kubelet's subtraction, but only for absurd figures.
  const auto available =
      static_cast<std::uint64_t>(*rlimit->max_pid) - static_cast<std::uint64_t>(*rlimit->running);
  return Observation{
      .available = Signed(available), .capacity = *rlimit->max_pid, .time = rlimit->time};
}

std::optional<Observation> TimeLeft(const NodeStats& node, const SignalRow& row) {
  const auto& pressure =
      row.resource == Resource::kMemory ? node.memory_pressure : node.io_pressure;
  if (!pressure) return std::nullopt;
  const StallShares& shares = row.stall->kind == StallKind::kFull ? pressure->full : pressure->some;
  const auto lost = row.stall->window == kFullAvg10.window ? shares.avg10 : shares.avg60;
  if (!lost) return std::nullopt;
  return Observation{
      .available = kWholeTime - *lost, .capacity = kWholeTime, .time = pressure->time};
}

void Observe(const NodeStats& node, const SignalRow& row, std::optional<Observation>& seen) {
  if (row.stall) {
    seen = TimeLeft(node, row);
    return;
  }
  switch (row.resource) {
    case Resource::kMemory: seen = Memory(row.of_pods ? node.pods_memory : node.memory); break;
    case Resource::kSwap: seen = Swap(node.swap); break;
    case Resource::kEphemeralStorage: seen = Disk(FileSystemOf(row.signal, node), false); break;
    case Resource::kInodes: seen = Disk(FileSystemOf(row.signal, node), true); break;
    case Resource::kPids: seen = Pids(node.rlimit); break;
    case Resource::kIo: break;  // its signals are those of stalls
  }
}

}  // namespace

Observations ObservationsFrom(const NodeStats& node) {
  Observations seen;
  for (const Signal signal : kAllSignals) Observe(node, RowOf(signal), seen[signal]);
  return seen;
}

bool HasNoSuch(const NodeStats& node, Signal signal) {
  if (ResourceOf(signal) == Resource::kSwap) {
    return node.swap && node.swap->available_bytes == 0U && node.swap->usage_bytes == 0U;
  }
  if (ResourceOf(signal) != Resource::kInodes) return false;
  const auto& fs = FileSystemOf(signal, node);
  return fs && fs->capacity_bytes && !fs->inodes;
}

}  // namespace jettison
