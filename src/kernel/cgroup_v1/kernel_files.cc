#include "kernel/cgroup_v1/kernel_files.h"

#include <array>
#include <optional>

#include "kernel/groups/group_files.h"
#include "kernel/groups/open_files.h"

namespace jettison::cgroup_v1 {
namespace {

// What v1 writes for "unlimited" is the greatest multiple of a page below 2^63. Anything from 2^62
// is taken for that, since the page size varies.
constexpr std::uint64_t kUnlimitedFrom = std::uint64_t{1} << 62;

std::optional<std::uint64_t> AbsentIfUnlimited(std::uint64_t limit) {
  if (limit >= kUnlimitedFrom) return std::nullopt;
  return limit;
}

}  // namespace

Result<LimitedMemory> MemoryOf(std::string_view stat, std::uint64_t usage) {
  // In the kernel's order.
  std::array<kernel::Row, 7> rows = {kernel::Row{"hierarchical_memory_limit"},
                                     {"total_cache"},
                                     {"total_rss"},
                                     {"total_shmem"},
                                     {"total_swap"},
                                     {"total_inactive_file"},
                                     {"total_active_file"}};
  kernel::FindRows(stat, rows);
  const auto limit = rows[0].Number();
  if (!limit) return Fail(limit.error());
  const auto inactive = rows[5].Number();
  if (!inactive) return Fail(inactive.error());
  LimitedMemory memory{.memory = {.usage = usage,
                                  .inactive_file = *inactive,
                                  .active_file = rows[6].NumberIfAny(),
                                  .swap = rows[4].NumberIfAny(),
                                  .shared = rows[3].NumberIfAny()},
                       .limit = AbsentIfUnlimited(*limit)};
  // What is charged beside anonymous memory and page cache is the kernel's own; v1 has no row for
  // it.
  const auto cache = rows[1].NumberIfAny();
  const auto rss = rows[2].NumberIfAny();
  if (cache && rss) memory.memory.kernel = usage > *cache + *rss ? usage - *cache - *rss : 0;
  return memory;
}

Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  // memory.stat takes 1.3 KiB on Linux 6.18.
  std::array<char, 8192> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto stat = kernel::ReadKept(files[0].get(), buffer);
  if (!stat) return Fail(stat.error().In(kMemoryFiles[0]));
  const auto usage = kernel::ParseKept<32>(files[1], kMemoryFiles[1], kernel::ParseCounter);
  if (!usage) return Fail(usage.error());
  auto memory = MemoryOf(*stat, *usage);
  if (!memory) return Fail(memory.error().In(kMemoryFiles[0]));
  return memory;
}

}  // namespace jettison::cgroup_v1
