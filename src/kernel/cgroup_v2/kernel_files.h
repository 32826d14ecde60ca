#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

// The text of cgroup v2 files as values (kernel: Documentation/admin-guide/cgroup-v2.rst). A
// text that the kernel would not write is kInternal, never a zero; rows that are not known are
// passed over. What both versions have is in kernel/groups/kernel_text.h.
namespace jettison::cgroup_v2 {

// What is used of memory.stat, in bytes, of the group and everything below it.
struct MemoryStat {
  std::uint64_t anon = 0;
  std::uint64_t file = 0;           // page cache, tmpfs and shared memory included
  std::uint64_t inactive_file = 0;  // page cache on the inactive list
  std::optional<std::uint64_t> active_file = std::nullopt;  // on the active list; absent: no row
  std::optional<std::uint64_t> kernel = std::nullopt;       // the kernel's own; absent before 5.18
  std::optional<std::uint64_t> shmem = std::nullopt;        // tmpfs and shared memory
};
// Fails when a row is missing or is no number.
[[nodiscard]] Result<MemoryStat> ParseMemoryStat(std::string_view text);

// The row oom_kill of memory.events: processes that the OOM killer ended in this group and below.
[[nodiscard]] Result<std::uint64_t> ParseOomKills(std::string_view text);

// Whether the text of cgroup.controllers or cgroup.subtree_control, names separated by blanks,
// contains this controller.
[[nodiscard]] bool HasController(std::string_view text, std::string_view controller);

// The first word of cpu.max: microseconds a period, or "max".
[[nodiscard]] Result<std::string_view> ParseCpuQuota(std::string_view text);

// Readings of open files of a group, each file in one system call and without allocating.
// The files of ReadMemoryFiles, which reads usage last, since it is the figure that moves fastest.
// The last kOptionalMemoryFiles of them are not there where swap is not accounted.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.current",
                                               "memory.swap.current"};
inline constexpr std::size_t kOptionalMemoryFiles = 1;
[[nodiscard]] Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);
// What the root has, memory.stat alone: what is used there is anonymous memory and page cache
// together, as the kubelet counts it. The kernel's own memory is not in it.
[[nodiscard]] Result<CgroupMemory> ReadRootMemoryFiles(std::span<const FileDescriptor> files);
// Of memory.max: the group's own limit; absent for "max".
[[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitFile(
    std::span<const FileDescriptor> files);
// Of memory.events.
[[nodiscard]] Result<std::uint64_t> ReadOomKillsFile(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v2
