#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison::cgroup_v1 {

// The files of a MemoryReading, usage last: it is the figure that moves fastest.
inline constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.usage_in_bytes"};

struct MemoryReading {
  CgroupMemory memory;
  // The lowest limit of the group and of those above it, in bytes; absent where none has one.
  std::optional<std::uint64_t> limit;
};

// Reads the open files of a group: two system calls, no allocation.
[[nodiscard]] Result<MemoryReading> ReadMemoryFiles(std::span<const FileDescriptor> files);

}  // namespace jettison::cgroup_v1
