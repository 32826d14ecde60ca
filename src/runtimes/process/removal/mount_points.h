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

// The places that were made for a pod; none where the notes cannot be read.
[[nodiscard]] std::vector<MountPoint> ReadMountPoints(const kernel::Paths& paths,
                                                      std::string_view uid);

// Another pod that mounts something at this place or below it; absent when there is none.
using MountPointUser = std::function<std::optional<std::string>(std::string_view path)>;

// What becomes of the places of a pod that is removed.
struct MountPointRelease {
  struct HandedOver {
    std::string to_uid;
    MountPoint point;
  };
  // Those that another pod uses: removing one would tear that pod's volume down.
  std::vector<HandedOver> handed_over;
  // Remove the others where they are still empty, the last one first.
  std::vector<kernel::PathStep> removals;
};
// Touches no file.
[[nodiscard]] MountPointRelease PlanRelease(const std::vector<MountPoint>& points,
                                            const MountPointUser& user_of);

// Notes the places for their new owners.
void HandOver(const kernel::Paths& paths,
              const std::vector<MountPointRelease::HandedOver>& handed_over);

}  // namespace jettison::process
