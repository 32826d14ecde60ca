#include "kernel/cgroup_v1/kernel_files.h"

#include <array>

#include "kernel/groups/kept_files.h"

namespace jettison::cgroup_v1 {
namespace {

// What v1 writes for "unlimited" is the greatest multiple of a page below 2^63. Anything from 2^62
// is taken for that, since the page size varies.
constexpr std::uint64_t kUnlimitedFrom = std::uint64_t{1} << 62;

std::optional<std::uint64_t> AbsentIfUnlimited(std::uint64_t limit) {
  if (limit >= kUnlimitedFrom) return std::nullopt;
  return limit;
}

// What is charged beside anonymous memory and page cache; v1 has no row for it.
std::optional<std::uint64_t> KernelsOwn(const MemoryStat& rows, std::uint64_t usage) {
  if (!rows.total_cache || !rows.total_rss) return std::nullopt;
  const std::uint64_t pages = *rows.total_cache + *rows.total_rss;
  return usage > pages ? usage - pages : 0;
}

}  // namespace

Result<MemoryStat> ParseMemoryStat(std::string_view text) {
  // In the kernel's order.
  std::array<kernel::Row, 7> rows = {kernel::Row{"hierarchical_memory_limit"},
                                     {"total_cache"},
                                     {"total_rss"},
                                     {"total_shmem"},
                                     {"total_swap"},
                                     {"total_inactive_file"},
                                     {"total_active_file"}};
  kernel::FindRows(text, rows);
  const auto limit = rows[0].Number();
  if (!limit) return Fail(limit.error());
  const auto inactive = rows[5].Number();
  if (!inactive) return Fail(inactive.error());
  return MemoryStat{.total_cache = rows[1].NumberIfAny(),
                    .total_rss = rows[2].NumberIfAny(),
                    .total_shmem = rows[3].NumberIfAny(),
                    .total_inactive_file = *inactive,
                    .total_active_file = rows[6].NumberIfAny(),
                    .total_swap = rows[4].NumberIfAny(),
                    .hierarchical_memory_limit = AbsentIfUnlimited(*limit)};
}

Result<std::uint64_t> ParseOomKills(std::string_view text) {
  if (!kernel::FindRow(text, "oom_kill")) {
    return Fail(ErrorCode::kUnavailable, "this kernel does not count OOM kills (before 4.13)");
  }
  return kernel::RowNumber(text, "oom_kill");
}

Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  constexpr std::size_t kStatBytes = 8192;  // memory.stat takes 1.3 KiB on Linux 6.18
  const auto rows = kernel::ParseKept<kStatBytes>(files[0], kMemoryFiles[0], ParseMemoryStat);
  if (!rows) return Fail(rows.error());
  const auto usage = kernel::ParseKept<32>(files[1], kMemoryFiles[1], kernel::ParseCounter);
  if (!usage) return Fail(usage.error());
  return LimitedMemory{.memory = {.usage = *usage,
                                  .inactive_file = rows->total_inactive_file,
                                  .active_file = rows->total_active_file,
                                  .swap = rows->total_swap,
                                  .shared = rows->total_shmem,
                                  .kernel = KernelsOwn(*rows, *usage)},
                       .limit = rows->hierarchical_memory_limit};
}

}  // namespace jettison::cgroup_v1
