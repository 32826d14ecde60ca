#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "units/duration.h"

namespace jettison {

// The kubelet's stats summary (/stats/summary, v1alpha1) as far as eviction reads it. An absent
// field was not measured: unknown, never zero. Bytes and inodes are counts.

struct MemoryStats {
  std::optional<Instant> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> usage_bytes;
  std::optional<std::uint64_t> working_set_bytes;
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

struct PodStats {
  std::string uid;
  std::string name;
  std::string namespace_;
  std::vector<ContainerStats> containers;
  std::vector<VolumeStats> volumes;
  bool has_memory =
      false;  // there are memory figures, even where the working set is not among them
  std::optional<std::uint64_t> memory_working_set_bytes;
  std::optional<FsUsage> ephemeral_storage;
  std::optional<std::uint64_t> process_count;
};

struct NodeStats {
  std::string node_name;
  std::optional<MemoryStats> memory;
  std::optional<MemoryStats> pods_memory;  // systemContainers "pods": the pods' cgroup
  std::optional<FsStats> fs;
  std::optional<FsStats> image_fs;
  std::optional<FsStats> container_fs;
  std::optional<RlimitStats> rlimit;
};

struct Summary {
  NodeStats node;
  std::vector<PodStats> pods;
};

}  // namespace jettison
