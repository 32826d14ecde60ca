#include "kernel/cgroup_v1/kernel_files.h"

#include <array>

#include "kernel/groups/kernel_text.h"

namespace jettison::cgroup_v1 {
namespace {

constexpr std::uint64_t kUnlimitedFrom = std::uint64_t{1} << 62;

std::optional<std::uint64_t> AbsentIfUnlimited(std::uint64_t limit) {
  if (limit >= kUnlimitedFrom) return std::nullopt;
  return limit;
}

}  // namespace

Result<std::optional<std::uint64_t>> ParseLimit(std::string_view text) {
  const auto value = kernel::ParseCounter(text);
  if (!value) return Fail(value.error());
  return AbsentIfUnlimited(*value);
}

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

}  // namespace jettison::cgroup_v1
