#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

// The text of cgroup v1 files as values (kernel: Documentation/admin-guide/cgroup-v1). A text that
// the kernel would not write is kInternal, never a zero. What both versions have is in
// kernel/groups/open_files.h.
namespace jettison::cgroup_v1 {

// The memory of a group, by its memory.stat and its memory.usage_in_bytes; the rows total_ count
// the group and everything below it. Fails when a row is missing that every kernel has, or is no
// number; unknown rows are passed over.
[[nodiscard]] Result<LimitedMemory> MemoryOf(std::string_view stat, std::uint64_t usage);

// The files of ReadMemoryFiles, usage last: it is the figure that moves fastest.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.usage_in_bytes"};
// Reads the open files of a group: two system calls, no allocation.
[[nodiscard]] Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v1
