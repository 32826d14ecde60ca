#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

// The text of cgroup v2 files as values (kernel: Documentation/admin-guide/cgroup-v2.rst). A
// text that the kernel would not write is kInternal, never a zero; rows that are not known are
// passed over. What both versions have is in kernel/groups/open_files.h.
namespace jettison::cgroup_v2 {

// The memory of a group and everything below it, by its memory.stat alone, as the kubelet counts
// the root: anonymous memory and page cache together are what is used; the kernel's own memory is
// not in it. Fails when a row is missing that every kernel has, or is no number.
[[nodiscard]] Result<CgroupMemory> MemoryOf(std::string_view stat);

// Whether the text of cgroup.controllers or cgroup.subtree_control, names separated by blanks,
// contains this controller.
[[nodiscard]] bool HasController(std::string_view text, std::string_view controller);

// The first word of cpu.max: microseconds a period, or "max".
[[nodiscard]] Result<std::string_view> ParseCpuQuota(std::string_view text);

// The files of ReadMemoryFiles, which reads usage last, since it is the figure that moves fastest.
// The last kOptionalMemoryFiles of them are not there where swap is not accounted.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.current",
                                               "memory.swap.current"};
inline constexpr std::size_t kOptionalMemoryFiles = 1;
// Reads the open files of a group, each in one system call and without allocating.
[[nodiscard]] Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);
// The same of the root, which has memory.stat alone.
[[nodiscard]] Result<CgroupMemory> ReadRootMemoryFile(std::span<const FileDescriptor> files);
// Of memory.max: the group's own limit; absent for "max".
[[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitFile(
    std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v2
