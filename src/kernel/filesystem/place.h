#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/mounts/mount_info.h"

namespace jettison {

// Where a path leads, found without asking a file system that may never answer.
struct Place {
  // Absolute. Links are followed through file systems that answer by themselves. A part of the path
  // that lies on another file system, or does not exist, stays as it was written.
  std::string path;
  std::optional<kernel::Mount> mount;  // that holds it; absent: none is known
  // Whether this kernel alone can answer for the place. True where the mounts could not be read.
  bool answers_by_itself = true;
};

// Among these mounts. A path that is not absolute is taken as it is and lies on none.
[[nodiscard]] Place PlaceOf(const std::vector<kernel::Mount>& mounts, const std::string& path);

// Among the mounts in a file like /proc/self/mountinfo.
[[nodiscard]] Place FindPlace(const std::string& path,
                              const std::string& mounts = "/proc/self/mountinfo");

}  // namespace jettison
