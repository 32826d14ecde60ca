#pragma once

#include <string>

namespace jettison::kernel {

// Whether a folder has nothing in it but what a runtime of this project makes for a pod, and is no
// mount point. One with anything else was put there by somebody else, and must not be deleted; nor
// must one that cannot be read.
[[nodiscard]] bool IsPodFolder(const std::string& path);

// Whether a folder has nothing in it but folders of containers with their logs, and nothing is
// mounted there.
[[nodiscard]] bool IsLogFolder(const std::string& path);

}  // namespace jettison::kernel
