#pragma once

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison::kernel {

// Checks that the path exists and has the type that the volume requires, and creates it for
// "DirectoryOrCreate" (mode 0755) and "FileOrCreate" (mode 0644, in a folder that exists). An empty
// type is not checked; the path is looked up all the same, so that a file system that does not
// answer is found here. Source: core/v1 HostPathType.
[[nodiscard]] Result<void> PrepareHostPath(const HostPathSource& source);

}  // namespace jettison::kernel
