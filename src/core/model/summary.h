#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// The kubelet's stats summary (/stats/summary, v1alpha1) as far as eviction reads it. An absent
// field was not measured: unknown, never zero. Bytes and inodes are counts.

struct MemoryStats {
  std::optional<Instant> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> usage_bytes;
  std::optional<std::uint64_t> working_set_bytes;
  // What the kubelet's summary has not got.
  std::optional<std::uint64_t> shared_bytes;  // tmpfs and shared memory
  std::optional<std::uint64_t> kernel_bytes;  // the kernel's own
};

// Swap space: of a node that is a group, `available` is the machine's and `usage` the group's own.
struct SwapStats {
  std::optional<Instant> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> usage_bytes;  // absent, too, where the kernel does not account swap
};

// A file system as a whole.
struct FsStats {
  std::optional<Instant> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> capacity_bytes;
  std::optional<std::uint64_t> used_bytes;
  std::optional<std::uint64_t> inodes_free;
  std::optional<std::uint64_t> inodes;
  std::optional<std::uint64_t> inodes_used;
};

// What one tree of files occupies.
struct FsUsage {
  std::optional<std::uint64_t> used_bytes;
  std::optional<std::uint64_t> inodes_used;
};

// Process ids of the node: `running` tasks out of `max_pid`.
struct RlimitStats {
  std::optional<Instant> time;
  std::optional<std::int64_t> max_pid;
  std::optional<std::int64_t> running;
};

// How much of the last 10 and 60 seconds was lost to stalls, in hundredths of a percent, 0 to
// 10000. The kernel's running averages (Documentation/accounting/psi.rst).
struct StallShares {
  std::optional<std::int32_t> avg10;
  std::optional<std::int32_t> avg60;
};

// Pressure stall information of one resource: `some`, at least one task waited for it; `full`,
// every task that was not idle did, so nothing got done.
struct PressureStats {
  std::optional<Instant> time;
  StallShares some;
  StallShares full;
};

struct ContainerStats {
  std::string name;
  std::optional<std::uint64_t> memory_working_set_bytes;
  std::optional<FsUsage> rootfs;  // the writable layer
  std::optional<FsUsage> logs;
};

struct VolumeStats {
  std::string name;
  FsUsage usage;
};

// Disk figures of a pod that were not measured for the pass that reads them.
struct StaleDisk {
  // They hold what was on disk then; absent: it was never measured, so they are unknown.
  std::optional<Instant> measured_at;
};

struct PodStats {
  std::string uid;
  std::string name;
  std::string namespace_;
  std::optional<std::uint64_t> process_count;
  std::optional<std::uint64_t> memory_working_set_bytes;
  std::vector<ContainerStats> containers;
  std::vector<VolumeStats> volumes;
  std::optional<FsUsage> ephemeral_storage;
  // Set if the pod's disk figures were not measured for this pass. A kubelet never sets it.
  std::optional<StaleDisk> stale_disk;
  bool has_memory =
      false;  // there are memory figures, even where the working set is not among them
  std::optional<std::uint64_t> swap_bytes;    // absent: not accounted
  std::optional<std::int32_t> io_some_avg10;  // of its own group, as StallShares::avg10 of `some`
};

// The figure of a pod as a whole that tells what it has of a resource; null: there is none of disks
// and of I/O.
[[nodiscard]] constexpr std::optional<std::uint64_t> PodStats::*FigureOf(Resource resource) {
  switch (resource) {
    case Resource::kMemory: return &PodStats::memory_working_set_bytes;
    case Resource::kSwap: return &PodStats::swap_bytes;
    case Resource::kPids: return &PodStats::process_count;
    case Resource::kEphemeralStorage:
    case Resource::kInodes:
    case Resource::kIo: return nullptr;
  }
  __builtin_unreachable();
}

struct NodeStats {
  std::string node_name;
  std::optional<MemoryStats> memory;
  std::optional<MemoryStats> pods_memory;  // systemContainers "pods": the pods' cgroup
  std::optional<SwapStats> swap;
  std::optional<FsStats> fs;
  std::optional<FsStats> image_fs;
  std::optional<FsStats> container_fs;
  std::optional<RlimitStats> rlimit;
  std::optional<PressureStats> memory_pressure;  // the kubelet's memory.psi
  std::optional<PressureStats> io_pressure;      // the kubelet's io.psi
};

// The file system that a signal of a disk tells of.
[[nodiscard]] inline const std::optional<FsStats>& FileSystemOf(Signal signal,
                                                                const NodeStats& node) {
  switch (*RowOf(signal).disk) {
    case FileSystem::kNode: return node.fs;
    case FileSystem::kImage: return node.image_fs;
    case FileSystem::kContainer: return node.container_fs;
  }
  __builtin_unreachable();
}

struct Summary {
  NodeStats node;
  std::vector<PodStats> pods;
};

}  // namespace jettison
