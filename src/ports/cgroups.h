#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "ports/group_end.h"

namespace jettison {

// Limits of one group; an absent one is left as it is.
struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes = std::nullopt;
  // 2..262144, the scale of v1 (1024 = one CPU); v2 has weights instead and is given the one that
  // belongs to these shares.
  std::optional<std::uint64_t> cpu_shares = std::nullopt;
  std::optional<std::int64_t> cpu_quota_us = std::nullopt;  // per cpu_period_us; -1: unlimited
  std::optional<std::uint64_t> cpu_period_us = std::nullopt;
  std::optional<std::int64_t> pids_max = std::nullopt;
};

// A group and the limits it is given.
struct GroupLimits {
  std::string group;
  CgroupLimits limits;
};

// Memory of one group in bytes, its descendants included, as the kernel charges it.
struct CgroupMemory {
  std::uint64_t usage = 0;
  std::uint64_t inactive_file = 0;
  std::optional<std::uint64_t> active_file = std::nullopt;  // absent: the kernel does not tell
  std::optional<std::uint64_t> swap = std::nullopt;         // absent: swap is not accounted
  // Parts of the usage; absent: the kernel does not tell.
  std::optional<std::uint64_t> shared = std::nullopt;  // tmpfs and shared memory
  std::optional<std::uint64_t> kernel = std::nullopt;  // the kernel's own: slab, stacks, tables

  // usage - inactive file, never below zero: Kubernetes' working set.
  [[nodiscard]] std::uint64_t WorkingSet() const {
    return usage > inactive_file ? usage - inactive_file : 0;
  }
  // The same without active file pages, never below zero.
  [[nodiscard]] std::uint64_t WithoutFilePages() const {
    const std::uint64_t working_set = WorkingSet();
    const std::uint64_t active = active_file.value_or(0);
    return working_set > active ? working_set - active : 0;
  }
};

// The same beside the lowest limit of the group and of those above it; absent where none has one.
struct LimitedMemory {
  CgroupMemory memory;
  std::optional<std::uint64_t> limit;  // bytes
};

// The file of one group, open for writing, that moves the process whose id is written into it.
struct ProcsFile {
  std::string name;  // "kubepods/besteffort/pod<uid>/<container> (memory)", for messages
  FileDescriptor file;
};

// The control groups below the node's own group, of whichever version the host has. A path is
// relative to that group ("kubepods", "kubepods/besteffort/pod<uid>/<container>"; "" is the node
// itself) and names the same group in every hierarchy. A group that vanished is kNotFound for
// readings and success for removal.
class Cgroups : public GroupEnd {
 public:
  // Creates the group and its parents in every hierarchy that the agent uses, then applies limits;
  // a group that exists is only given the limits.
  [[nodiscard]] virtual Result<void> Create(std::string_view path, const CgroupLimits& limits) = 0;
  // Moves a process into the group. Waits for the kernel as long as that likes (synchronize_rcu in
  // cgroup_procs_write_start): where that may not be, somebody else writes into OpenProcs.
  [[nodiscard]] virtual Result<void> Join(std::string_view path, pid_t pid) = 0;
  // cgroup.procs of the group in each hierarchy: a process is in the group when its id has been
  // written into all of them.
  [[nodiscard]] virtual Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) = 0;
  // Every process of the group and of the groups below it.
  [[nodiscard]] virtual Result<std::vector<pid_t>> Processes(std::string_view path) = 0;
  // Names of the groups directly below.
  [[nodiscard]] virtual Result<std::vector<std::string>> Children(std::string_view path) = 0;

  [[nodiscard]] virtual Result<CgroupMemory> ReadMemory(std::string_view path) = 0;
  // The usage alone, for less where one file tells it.
  [[nodiscard]] virtual Result<std::uint64_t> ReadMemoryUsage(std::string_view path) {
    return ReadMemory(path).map([](const CgroupMemory& memory) { return memory.usage; });
  }
  // The memory limit; absent when there is none.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) = 0;
  // Both at once, for less where one file tells both.
  [[nodiscard]] virtual Result<LimitedMemory> ReadLimitedMemory(std::string_view path) {
    auto memory = ReadMemory(path);
    if (!memory) return Fail(std::move(memory.error()));
    auto limit = ReadMemoryLimit(path);
    if (!limit) return Fail(std::move(limit.error()));
    return LimitedMemory{.memory = *memory, .limit = *limit};
  }
  // Tasks in the group and below (threads, as the kernel's pids controller counts).
  [[nodiscard]] virtual Result<std::uint64_t> ReadPids(std::string_view path) = 0;
  // Whether the group has the part of the CPU that Create gives it for so many shares; v2's weights
  // do not tell the shares themselves.
  [[nodiscard]] virtual Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) = 0;
  // How many times the kernel's OOM killer has struck in this group.
  [[nodiscard]] virtual Result<std::uint64_t> ReadOomKills(std::string_view path) = 0;

  // The group's directory where its memory is accounted: what notifications are registered with,
  // and what a lock on the group is taken on.
  [[nodiscard]] virtual Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const = 0;
  // The group's directory in the unified hierarchy, where its pressure files are; kUnavailable
  // where none is mounted.
  [[nodiscard]] virtual Result<FileDescriptor> OpenPressureDirectory(
      std::string_view path) const = 0;
};

}  // namespace jettison
