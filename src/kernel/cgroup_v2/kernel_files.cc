#include "kernel/cgroup_v2/kernel_files.h"

#include <array>

#include "kernel/groups/group_files.h"
#include "kernel/groups/open_files.h"

namespace jettison::cgroup_v2 {
namespace {

constexpr std::size_t kSmallBytes = 32;  // a number takes 21 bytes at most

// Of memory.stat, which takes 1.5 KiB on Linux 6.12.
Result<CgroupMemory> ReadStat(const FileDescriptor& file) {
  return kernel::ParseKept<16384>(file, kMemoryFiles[0], MemoryOf);
}

}  // namespace

Result<CgroupMemory> MemoryOf(std::string_view stat) {
  // In the kernel's order; "kernel" exists since Linux 5.18.
  std::array<kernel::Row, 6> rows = {kernel::Row{"anon"}, {"file"},          {"kernel"},
                                     {"shmem"},           {"inactive_file"}, {"active_file"}};
  kernel::FindRows(stat, rows);
  const auto anon = rows[0].Number();
  if (!anon) return Fail(anon.error());
  const auto file = rows[1].Number();
  if (!file) return Fail(file.error());
  const auto inactive = rows[4].Number();
  if (!inactive) return Fail(inactive.error());
  return CgroupMemory{.usage = *anon + *file,
                      .inactive_file = *inactive,
                      .active_file = rows[5].NumberIfAny(),
                      .shared = rows[3].NumberIfAny(),
                      .kernel = rows[2].NumberIfAny()};
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
  auto memory = ReadStat(files[0]);
  if (!memory) return memory;
  if (files[2]) {
    const auto swap =
        kernel::ParseKept<kSmallBytes>(files[2], kMemoryFiles[2], kernel::ParseCounter);
    if (!swap) return Fail(swap.error());
    memory->swap = *swap;
  }
  const auto usage =
      kernel::ParseKept<kSmallBytes>(files[1], kMemoryFiles[1], kernel::ParseCounter);
  if (!usage) return Fail(usage.error());
  memory->usage = *usage;
  return memory;
}

Result<CgroupMemory> ReadRootMemoryFile(std::span<const FileDescriptor> files) {
  return ReadStat(files[0]);
}

Result<std::optional<std::uint64_t>> ReadLimitFile(std::span<const FileDescriptor> files) {
  return kernel::ParseKept<kSmallBytes>(files[0], "memory.max", kernel::ParseMax);
}

}  // namespace jettison::cgroup_v2
