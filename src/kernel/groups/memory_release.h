#pragma once

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Whether pages are charged to a group, and the kernel takes them back on request: by
// memory.reclaim (cgroup v2, Linux 5.19) or memory.force_empty (cgroup v1).
[[nodiscard]] bool HasPagesToDrop(int group);
// Has the kernel take back all that it can from a group: page cache, for who ended leaves nothing
// else. A kernel with busy processors takes up to a second for it.
void DropPages(int group);

// Frees the memory of a process that has been killed but has not ended yet, on the caller's
// processor (process_mrelease, Linux 5.15). That is faster than the exit of the process itself.
// Returns when the memory is free, after about 40 ms per GiB. kNotFound: the process has ended or
// has no memory of its own; kInvalidArgument: it was not killed; kUnavailable: the kernel lacks the
// call.
[[nodiscard]] Result<void> ReleaseMemory(const FileDescriptor& pidfd);

}  // namespace jettison::kernel
