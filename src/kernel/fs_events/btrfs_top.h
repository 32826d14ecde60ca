#pragma once

#include <string>

#include "ports/file_descriptor.h"

namespace jettison::fs_events {

// Opens the top-level subvolume of the btrfs that holds `path`, mounted anywhere or not. Empty
// where that is no btrfs, or without CAP_DAC_READ_SEARCH and CAP_SYS_ADMIN.
[[nodiscard]] FileDescriptor OpenTopOfBtrfs(const std::string& path);

}  // namespace jettison::fs_events
