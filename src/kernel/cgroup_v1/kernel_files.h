#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units/result.h"

// The text of cgroup v1 files as values (kernel: Documentation/admin-guide/cgroup-v1). Pure. A text
// that the kernel would not write is kInternal, never a zero. What both versions have is in
// kernel/groups/kernel_text.h.
namespace jettison::cgroup_v1 {

// A limit in bytes; absent where the file holds v1's "unlimited", the greatest multiple of a page
// below 2^63. Anything from 2^62 is taken for that, since the page size varies.
[[nodiscard]] Result<std::optional<std::uint64_t>> ParseLimit(std::string_view text);

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

}  // namespace jettison::cgroup_v1
