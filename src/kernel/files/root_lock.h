#pragma once

#include <string>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Takes the lock of a runtime's root, made where it is missing, for as long as the descriptor is
// open: two agents on one root would each take the other's pods for their own. On a read-only file
// system, one that is there is locked. kUnavailable where another agent has it.
[[nodiscard]] Result<FileDescriptor> LockRoot(const std::string& path);

}  // namespace jettison::kernel
