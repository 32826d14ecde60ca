#include "kernel/cgroup_v2/kernel_files.h"

#include <array>

#include "kernel/groups/group_files.h"
#include "kernel/groups/open_files.h"

namespace jettison::cgroup_v2 {
namespace {

constexpr std::size_t kSmallBytes = 32;  // a number takes 21 bytes at most

}  // namespace

Result<CgroupMemory> MemoryOf(std::string_view stat, std::optional<std::uint64_t> usage) {
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
  return CgroupMemory{.usage = usage.value_or(*anon + *file),
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
  // memory.stat takes 1.5 KiB on Linux 6.12.
  std::array<char, 16384> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto stat = kernel::ReadKept(files[0].get(), buffer);
  if (!stat) return Fail(stat.error().In(kMemoryFiles[0]));
  std::optional<std::uint64_t> swap;
  if (files[2]) {
    const auto read =
        kernel::ParseKept<kSmallBytes>(files[2], kMemoryFiles[2], kernel::ParseCounter);
    if (!read) return Fail(read.error());
    swap = *read;
  }
  const auto usage =
      kernel::ParseKept<kSmallBytes>(files[1], kMemoryFiles[1], kernel::ParseCounter);
  if (!usage) return Fail(usage.error());
  auto memory = MemoryOf(*stat, *usage);
  if (!memory) return Fail(memory.error().In(kMemoryFiles[0]));
  memory->swap = swap;
  return memory;
}

}  // namespace jettison::cgroup_v2
