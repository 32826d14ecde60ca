#pragma once

#include <string>

namespace jettison::kernel {

// What the kernel offers for folders in which other file systems may be mounted. Without it a pod's
// folder cannot be emptied without the risk of emptying what is mounted in it.
struct MountCalls {
  bool opens_within_mount = false;  // openat2(2), since Linux 5.6
  bool tells_mount_points = false;  // STATX_ATTR_MOUNT_ROOT of statx(2), since Linux 5.8
  bool changes_attributes = false;  // mount_setattr(2), since Linux 5.12

  [[nodiscard]] bool ServesRemoval() const { return opens_within_mount && tells_mount_points; }
};

// Tries the calls; changes nothing.
[[nodiscard]] MountCalls ProbeMountCalls();

// The calls that are missing for pods whose mounts the agent makes itself (`makes_mounts`), or that
// a runtime makes: "openat2(2), mount_setattr(2)"; empty: none.
[[nodiscard]] std::string MissingCalls(const MountCalls& calls, bool makes_mounts);

}  // namespace jettison::kernel
