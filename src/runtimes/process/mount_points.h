#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/files/paths.h"
#include "kernel/readiness/path_errand.h"

namespace jettison::process {

// A place that a shim made on the host to mount a volume at.
struct MountPoint {
  bool directory = true;  // else an empty file
  std::string path;
  friend bool operator==(const MountPoint&, const MountPoint&) = default;
};

// Reads the notes of the shims, a "d PATH" or "f PATH" a line, in the order in which the places
// were made. A line that is neither, or not finished, is left out.
[[nodiscard]] std::vector<MountPoint> ParseMountPoints(std::string_view text);

// Another pod that mounts something at this place or below it; absent when there is none.
using MountPointUser = std::function<std::optional<std::string>(std::string_view path)>;

// The steps that remove the places that were made for a pod where they are still empty, the last
// one first. One that another pod uses is handed over to it at once: removing it would tear that
// pod's volume down.
[[nodiscard]] std::vector<kernel::PathStep> ReleaseMountPoints(const kernel::Paths& paths,
                                                               std::string_view uid,
                                                               const MountPointUser& user_of);

}  // namespace jettison::process
