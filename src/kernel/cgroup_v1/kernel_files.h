#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

// The text of cgroup v1 files as values (kernel: Documentation/admin-guide/cgroup-v1). A text that
// the kernel would not write is kInternal, never a zero. What both versions have is in
// kernel/groups/kernel_text.h.
namespace jettison::cgroup_v1 {

// What is used of memory.stat. The total_ rows count the group and everything below it.
struct MemoryStat {
  std::optional<std::uint64_t> total_cache;        // bytes; tmpfs and shared memory included
  std::optional<std::uint64_t> total_rss;          // bytes; anonymous memory
  std::optional<std::uint64_t> total_shmem;        // bytes; absent: no such row (before 4.14)
  std::uint64_t total_inactive_file = 0;           // bytes; page cache off the active list
  std::optional<std::uint64_t> total_active_file;  // bytes; absent: no such row
  std::optional<std::uint64_t> total_swap;  // bytes; absent: swap is not accounted (swapaccount=0)
  std::optional<std::uint64_t> hierarchical_memory_limit;  // bytes; absent: unlimited
};
// Fails when a row is missing or is no number; unknown rows are passed over.
[[nodiscard]] Result<MemoryStat> ParseMemoryStat(std::string_view text);

// The row oom_kill of memory.oom_control: how often the OOM killer struck in this very group. Rows
// of that name exist since Linux 4.13; without one the answer is kUnavailable.
[[nodiscard]] Result<std::uint64_t> ParseOomKills(std::string_view text);

// The files of ReadMemoryFiles, usage last: it is the figure that moves fastest.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.usage_in_bytes"};
// Reads the open files of a group: two system calls, no allocation.
[[nodiscard]] Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v1
