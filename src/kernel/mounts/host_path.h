#pragma once

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison::kernel {

// Checks that the path is there and of the type that the volume asks for, and makes it for
// "DirectoryOrCreate" (mode 0755) and "FileOrCreate" (mode 0644, in a folder that exists). An empty
// type is not checked, but the path is asked for: what does not answer is to be found out here.
// Source: core/v1 HostPathType.
[[nodiscard]] Result<void> PrepareHostPath(const HostPathSource& source);

}  // namespace jettison::kernel
