#include "kernel/cgroup_v1/memory_figures.h"

#include <array>
#include <cstddef>

#include "kernel/cgroup_v1/kernel_files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_text.h"

namespace jettison::cgroup_v1 {
namespace {

constexpr std::size_t kStatBytes = 8192;  // memory.stat takes 1.3 KiB on Linux 6.18
constexpr std::size_t kCounterBytes = 32;

template <typename T>
Result<T> Of(const char* file, Result<T> result) {
  if (!result) return Fail(result.error().In(file));
  return result;
}

// What is charged beside anonymous memory and page cache; v1 has no row for it.
std::optional<std::uint64_t> KernelsOwn(const MemoryStat& rows, std::uint64_t usage) {
  if (!rows.total_cache || !rows.total_rss) return std::nullopt;
  const std::uint64_t pages = *rows.total_cache + *rows.total_rss;
  return usage > pages ? usage - pages : 0;
}

}  // namespace

Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  std::array<char, kStatBytes> stat_buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto stat = Of(kMemoryFiles[0], kernel::ReadKept(files[0].get(), stat_buffer));
  if (!stat) return Fail(stat.error());
  const auto rows = Of(kMemoryFiles[0], ParseMemoryStat(*stat));
  if (!rows) return Fail(rows.error());

  const auto usage = ReadUsageFile(files.subspan(1));
  if (!usage) return Fail(usage.error());
  return LimitedMemory{.memory = {.usage = *usage,
                                  .inactive_file = rows->total_inactive_file,
                                  .active_file = rows->total_active_file,
                                  .swap = rows->total_swap,
                                  .shared = rows->total_shmem,
                                  .kernel = KernelsOwn(*rows, *usage)},
                       .limit = rows->hierarchical_memory_limit};
}

Result<std::uint64_t> ReadUsageFile(std::span<const FileDescriptor> files) {
  std::array<char, kCounterBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto text = Of(kUsageFile, kernel::ReadKept(files.front().get(), buffer));
  if (!text) return Fail(text.error());
  return Of(kUsageFile, kernel::ParseCounter(*text));
}

}  // namespace jettison::cgroup_v1
