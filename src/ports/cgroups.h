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

namespace jettison {

// Ends the processes of a control group and then removes the group. Paths are as in Cgroups.
class GroupEnd {
 public:
  virtual ~GroupEnd() = default;

  // Sends a signal to every process of the group and below.
  [[nodiscard]] virtual Result<void> Signal(std::string_view path, int signal) = 0;
  // Kills every process of the group and below, including those that are forked meanwhile. Frozen
  // processes are thawed.
  [[nodiscard]] virtual Result<void> Kill(std::string_view path) = 0;
  // Whether a signal to the group, or to a group above it, is still on its way to some process.
  [[nodiscard]] virtual bool IsSignalling(std::string_view /*path*/) { return false; }
  // Removes the group and everything below it in every hierarchy. A group that is gone already is a
  // success. Fails while processes live in it. kUnavailable while something of the group, its page
  // cache for example, is still being freed: the caller then calls again.
  [[nodiscard]] virtual Result<void> Remove(std::string_view path) = 0;
};

// Limits of one group; an absent one is left as it is.
struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes = std::nullopt;
  // 2..262144, the scale of cgroup v1 (1024 = one CPU). On v2 the shares are converted to a weight.
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

// Memory of one group, and the lowest limit of the group and the groups above it; absent: none of
// them has a limit.
struct LimitedMemory {
  CgroupMemory memory;
  std::optional<std::uint64_t> limit;  // bytes
};

// The cgroup.procs file of one group, open for writing. A process whose ID is written into it is
// moved into the group.
struct ProcsFile {
  std::string name;  // "kubepods/besteffort/pod<uid>/<container> (memory)", for messages
  FileDescriptor file;
};

// The control groups below the node's own group, cgroup v1 or v2. A path is relative to that group
// ("kubepods", "kubepods/besteffort/pod<uid>/<container>"; "" is the node itself) and names the
// same group in every hierarchy. Reading a group that has vanished fails with kNotFound; removing
// it succeeds.
class Cgroups : public GroupEnd {
 public:
  // Creates the group and its parents in every hierarchy that the agent uses, and applies the
  // limits. To a group that exists, only the limits are applied. Where no cpu controller is
  // mounted, CPU shares mean nothing; any other limit whose controller is missing fails.
  [[nodiscard]] virtual Result<void> Create(std::string_view path, const CgroupLimits& limits) = 0;
  // Opens cgroup.procs of the group in each hierarchy. A process is in the group when its ID has
  // been written into all of these files. The kernel may block such a write for long
  // (synchronize_rcu in cgroup_procs_write_start).
  [[nodiscard]] virtual Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) = 0;
  // Every process of the group and of the groups below it.
  [[nodiscard]] virtual Result<std::vector<pid_t>> Processes(std::string_view path) = 0;
  // Names of the groups directly below.
  [[nodiscard]] virtual Result<std::vector<std::string>> Children(std::string_view path) = 0;

  [[nodiscard]] virtual Result<CgroupMemory> ReadMemory(std::string_view path) = 0;
  // The memory limit; absent when there is none.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) = 0;
  // ReadMemory and the lowest memory limit. An implementation overrides this if reading both at
  // once is cheaper.
  [[nodiscard]] virtual Result<LimitedMemory> ReadLimitedMemory(std::string_view path) {
    auto memory = ReadMemory(path);
    if (!memory) return Fail(std::move(memory.error()));
    auto limit = ReadMemoryLimit(path);
    if (!limit) return Fail(std::move(limit.error()));
    return LimitedMemory{.memory = *memory, .limit = *limit};
  }
  // Tasks in the group and below (threads, as the kernel's pids controller counts).
  [[nodiscard]] virtual Result<std::uint64_t> ReadPids(std::string_view path) = 0;
  // How many tasks the group itself may have; absent where there is no limit, or where the
  // implementation does not tell.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> ReadPidsLimit(
      std::string_view /*path*/) {
    return std::optional<std::uint64_t>();
  }
  // Whether the group has the CPU shares, or the cgroup v2 weight, that Create gives it for
  // `shares`. The shares themselves cannot be read, because a weight does not determine them.
  [[nodiscard]] virtual Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) = 0;
  // How many processes of this group the kernel's OOM killer has killed.
  [[nodiscard]] virtual Result<std::uint64_t> ReadOomKills(std::string_view path) = 0;

  // Closes the files that readings of the group, and of those below it, have left open. Called when
  // it is not read any more: others may remove it.
  virtual void Forget(std::string_view /*path*/) {}

  // Opens the group's directory in the hierarchy that accounts its memory. Notifications are
  // registered with this directory, and a lock on the group is taken on it.
  [[nodiscard]] virtual Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const = 0;
  // The group's directory in the unified hierarchy, where its pressure files are; kUnavailable
  // where none is mounted.
  [[nodiscard]] virtual Result<FileDescriptor> OpenPressureDirectory(
      std::string_view path) const = 0;
};

}  // namespace jettison
