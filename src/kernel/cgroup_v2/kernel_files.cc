#include "kernel/cgroup_v2/kernel_files.h"

#include <array>

#include "kernel/groups/kept_files.h"

namespace jettison::cgroup_v2 {
namespace {

constexpr std::size_t kStatBytes = 16384;  // memory.stat takes 1.5 KiB on Linux 6.12
constexpr std::size_t kSmallBytes = 512;   // memory.events takes 70 bytes, the others 21 at most

// The figures of memory.stat; the usage is that of the root.
CgroupMemory FiguresOf(const MemoryStat& stat) {
  return {.usage = stat.anon + stat.file,
          .inactive_file = stat.inactive_file,
          .active_file = stat.active_file,
          .shared = stat.shmem,
          .kernel = stat.kernel};
}

}  // namespace

Result<MemoryStat> ParseMemoryStat(std::string_view text) {
  // In the kernel's order.
  std::array<kernel::Row, 6> rows = {kernel::Row{"anon"}, {"file"},          {"kernel"},
                                     {"shmem"},           {"inactive_file"}, {"active_file"}};
  kernel::FindRows(text, rows);
  const auto anon = rows[0].Number();
  if (!anon) return Fail(anon.error());
  const auto file = rows[1].Number();
  if (!file) return Fail(file.error());
  const auto inactive = rows[4].Number();
  if (!inactive) return Fail(inactive.error());
  return MemoryStat{.anon = *anon,
                    .file = *file,
                    .inactive_file = *inactive,
                    .active_file = rows[5].NumberIfAny(),
                    .kernel = rows[2].NumberIfAny(),
                    .shmem = rows[3].NumberIfAny()};
}

Result<std::uint64_t> ParseOomKills(std::string_view text) {
  return kernel::RowNumber(text, "oom_kill");
}

bool HasController(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const auto end = text.find_first_of(" \n");
    if (text.substr(0, end) == controller) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

Result<std::string_view> ParseCpuQuota(std::string_view text) {
  const std::string_view quota = text.substr(0, text.find(' '));
  if (quota == text || (quota != "max" && !kernel::ParseCounter(quota))) {
    return kernel::FailText("a quota and a period", text);
  }
  return quota;
}

Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  const auto stat = kernel::ParseKept<kStatBytes>(files[0], kMemoryFiles[0], ParseMemoryStat);
  if (!stat) return Fail(stat.error());
  CgroupMemory memory = FiguresOf(*stat);
  if (files[2]) {
    const auto swap =
        kernel::ParseKept<kSmallBytes>(files[2], kMemoryFiles[2], kernel::ParseCounter);
    if (!swap) return Fail(swap.error());
    memory.swap = *swap;
  }
  const auto usage =
      kernel::ParseKept<kSmallBytes>(files[1], kMemoryFiles[1], kernel::ParseCounter);
  if (!usage) return Fail(usage.error());
  memory.usage = *usage;
  return memory;
}

Result<CgroupMemory> ReadRootMemoryFiles(std::span<const FileDescriptor> files) {
  return kernel::ParseKept<kStatBytes>(files[0], kMemoryFiles[0], ParseMemoryStat).map(FiguresOf);
}

Result<std::optional<std::uint64_t>> ReadLimitFile(std::span<const FileDescriptor> files) {
  return kernel::ParseKept<kSmallBytes>(files[0], "memory.max", kernel::ParseMax);
}

Result<std::uint64_t> ReadOomKillsFile(std::span<const FileDescriptor> files) {
  return kernel::ParseKept<kSmallBytes>(files[0], "memory.events", ParseOomKills);
}

}  // namespace jettison::cgroup_v2
