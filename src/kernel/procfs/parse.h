#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units/result.h"

// The text of files below /proc as values (proc(5)). Pure. A text that the kernel would not write
// is kInternal, never a zero.
namespace jettison::procfs {

// The machine's memory in bytes.
struct MachineMemory {
  std::uint64_t total = 0;       // MemTotal: what the kernel manages; huge pages are part of it
  std::uint64_t huge_pages = 0;  // set aside as huge pages, of every size, used or not
  // MemFree, MemAvailable; absent: no such row (before Linux 3.14).
  std::optional<std::uint64_t> free = std::nullopt;
  std::optional<std::uint64_t> available = std::nullopt;
  // SwapTotal, SwapFree; absent: no such rows (no CONFIG_SWAP).
  std::optional<std::uint64_t> swap_total = std::nullopt;
  std::optional<std::uint64_t> swap_free = std::nullopt;

  // What ordinary pages can take: never below zero.
  [[nodiscard]] std::uint64_t WithoutHugePages() const {
    return total > huge_pages ? total - huge_pages : 0;
  }
  // MemAvailable, where a kernel can have written it. Programs that make this file up for a
  // container (lxcfs) may write 0, or more than there is.
  [[nodiscard]] Result<std::uint64_t> Available() const;
};

// /proc/meminfo. kInternal, too, where MemTotal is 0. Huge pages are its row Hugetlb, which a
// kernel without huge pages does not have.
[[nodiscard]] Result<MachineMemory> ParseMemInfo(std::string_view text);

// Lines of /proc/zoneinfo: the pages in the lists of the processors, which are free, although
// MemFree and MemAvailable leave them out. On Linux 6.7 and later they are up to an eighth of the
// memory.
[[nodiscard]] std::uint64_t ParseListedPages(std::string_view lines);

// /proc/loadavg: the tasks that exist, the number behind the slash of the fourth field. Threads
// count one each.
[[nodiscard]] Result<std::int64_t> ParseTaskCount(std::string_view text);

// kernel.pid_max, kernel.threads-max: one positive number.
[[nodiscard]] Result<std::int64_t> ParsePidLimit(std::string_view text);

// Pages of a process's address space.
struct PageCounts {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
};
// /proc/PID/statm: the first two of its numbers.
[[nodiscard]] Result<PageCounts> ParseStatm(std::string_view text);

}  // namespace jettison::procfs
