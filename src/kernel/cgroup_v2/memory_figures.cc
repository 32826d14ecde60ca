#include "kernel/cgroup_v2/memory_figures.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "kernel/cgroup_v2/kernel_files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_text.h"

namespace jettison::cgroup_v2 {
namespace {

constexpr std::size_t kStatBytes = 16384;  // memory.stat takes 1.5 KiB on Linux 6.12
constexpr std::size_t kSmallBytes = 512;   // memory.events takes 70 bytes, the others 21 at most

// The result of `parse` for the text of an open file.
template <std::size_t kBytes, typename T>
Result<T> Read(const FileDescriptor& file, const char* name, Result<T> (*parse)(std::string_view)) {
  std::array<char, kBytes>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): pread fills it
  const auto text = kernel::ReadKept(file.get(), buffer);
  if (!text) return Fail(text.error().In(name));
  auto value = parse(*text);
  if (!value) return Fail(value.error().In(name));
  return value;
}

}  // namespace

Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  const auto stat = Read<kStatBytes>(files[0], kMemoryFiles[0], ParseMemoryStat);
  if (!stat) return Fail(stat.error());
  std::optional<std::uint64_t> swap;
  if (files[2]) {
    const auto taken = Read<kSmallBytes>(files[2], kMemoryFiles[2], kernel::ParseCounter);
    if (!taken) return Fail(taken.error());
    swap = *taken;
  }
  const auto usage = ReadUsageFile(files.subspan(1));
  if (!usage) return Fail(usage.error());
  return CgroupMemory{.usage = *usage,
                      .inactive_file = stat->inactive_file,
                      .active_file = stat->active_file,
                      .swap = swap,
                      .shared = stat->shmem,
                      .kernel = stat->kernel};
}

Result<std::uint64_t> ReadUsageFile(std::span<const FileDescriptor> files) {
  return Read<kSmallBytes>(files.front(), kUsageFile, kernel::ParseCounter);
}

Result<CgroupMemory> ReadRootMemoryFiles(std::span<const FileDescriptor> files) {
  const auto stat = Read<kStatBytes>(files[0], kRootMemoryFiles[0], ParseMemoryStat);
  if (!stat) return Fail(stat.error());
  return CgroupMemory{.usage = stat->anon + stat->file,
                      .inactive_file = stat->inactive_file,
                      .active_file = stat->active_file,
                      .shared = stat->shmem,
                      .kernel = stat->kernel};
}

Result<std::optional<std::uint64_t>> ReadLimitFile(std::span<const FileDescriptor> files) {
  return Read<kSmallBytes>(files[0], "memory.max", ParseLimit);
}

Result<std::uint64_t> ReadTasksFile(std::span<const FileDescriptor> files) {
  return Read<kSmallBytes>(files[0], "pids.current", kernel::ParseCounter);
}

Result<std::uint64_t> ReadWeightFile(std::span<const FileDescriptor> files) {
  return Read<kSmallBytes>(files[0], "cpu.weight", kernel::ParseCounter);
}

Result<std::uint64_t> ReadOomKillsFile(std::span<const FileDescriptor> files) {
  return Read<kSmallBytes>(files[0], "memory.events", ParseOomKills);
}

}  // namespace jettison::cgroup_v2
