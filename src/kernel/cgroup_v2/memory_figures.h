#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

// Readings of open files of a group, each file in one system call and without allocating.
namespace jettison::cgroup_v2 {

// The files of ReadMemoryFiles, which reads usage last, since it is the figure that moves fastest.
// The last kOptionalMemoryFiles of them are not there where swap is not accounted.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.current",
                                               "memory.swap.current"};
inline constexpr std::size_t kOptionalMemoryFiles = 1;
[[nodiscard]] Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);

// The usage alone: one system call.
inline constexpr const char* kUsageFile = kMemoryFiles[1];
[[nodiscard]] Result<std::uint64_t> ReadUsageFile(std::span<const FileDescriptor> files);

// What ReadMemoryFiles reads of the root, which has memory.stat alone: what is used there is
// anonymous memory and page cache together, as the kubelet counts it. The kernel's own memory is
// not in it.
inline constexpr const char* kRootMemoryFiles[] = {"memory.stat"};
[[nodiscard]] Result<CgroupMemory> ReadRootMemoryFiles(std::span<const FileDescriptor> files);

// Of memory.max: the group's own limit; absent for "max".
[[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitFile(
    std::span<const FileDescriptor> files);

// Of pids.current.
[[nodiscard]] Result<std::uint64_t> ReadTasksFile(std::span<const FileDescriptor> files);

// Of cpu.weight; 0 for an idle group (cpu.idle), which runs only when no other group wants the CPU.
[[nodiscard]] Result<std::uint64_t> ReadWeightFile(std::span<const FileDescriptor> files);

// Of memory.events.
[[nodiscard]] Result<std::uint64_t> ReadOomKillsFile(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v2
