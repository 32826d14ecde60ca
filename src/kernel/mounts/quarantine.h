#pragma once

#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"

namespace jettison::kernel {

// Gives the folder and the logs of a pod another name, below `quarantine` in the root: no data is
// lost, and the UID is free. Mounts of sub paths, which lead out of the folder, are detached;
// memory volumes stay mounted in it. Logs on another file system stay where they are. Answers where
// the files are now; empty: there were none.
[[nodiscard]] Result<std::string> SetAside(const Paths& paths, const std::string& uid, Instant now);

}  // namespace jettison::kernel
