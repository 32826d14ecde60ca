#pragma once

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Takes the memory of a process that has been killed but has not ended yet, on the processor of the
// caller (process_mrelease, Linux 5.15), which is sooner than the process gives it back itself.
// Returns when that is done, 40 ms or so a GiB. kNotFound: it has ended or has no memory of its
// own; kInvalidArgument: it was not killed; kUnavailable: the kernel cannot.
[[nodiscard]] Result<void> ReleaseMemory(const FileDescriptor& pidfd);

}  // namespace jettison::kernel
