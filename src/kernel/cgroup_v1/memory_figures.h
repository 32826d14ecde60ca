#pragma once

#include <span>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison::cgroup_v1 {

// The files of ReadMemoryFiles, usage last: it is the figure that moves fastest.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.usage_in_bytes"};

// Reads the open files of a group: two system calls, no allocation.
[[nodiscard]] Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files);

// The usage alone: one system call.
inline constexpr const char* kUsageFile = kMemoryFiles[1];
[[nodiscard]] Result<std::uint64_t> ReadUsageFile(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v1
