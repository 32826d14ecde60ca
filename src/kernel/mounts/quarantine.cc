#include "kernel/mounts/quarantine.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/mounts/private_mount.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

// Detaches the mounts, so that deleting the quarantined folder does not delete files of the host
// through them. The kernel lists mounts by their real paths.
Result<void> DetachSubPaths(const std::string& folder) {
  std::array<char, PATH_MAX> real{};
  if (::realpath((folder + "/sub-paths").c_str(), real.data()) == nullptr) {
    return errno == ENOENT ? Result<void>() : FailErrno(folder + "/sub-paths");
  }
  const std::string below = std::string(real.data()) + "/";
  auto mounts = ReadMounts("/proc/self/mountinfo");
  if (!mounts) return Fail(mounts.error());
  for (const Mount& mount : *mounts) {
    if (!mount.point.starts_with(below)) continue;
    const int error = DetachPrivately(AT_FDCWD, mount.point.c_str());
    if (error != 0 && error != EINVAL && error != ENOENT) {
      return Fail(SystemError(error, "detach " + mount.point));
    }
  }
  return {};
}

// Whether the folder existed.
Result<bool> Move(const std::string& folder, const std::string& place) {
  if (std::rename(folder.c_str(), place.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return FailErrno(fmt::format("rename {} to {}", folder, place));
}

}  // namespace

Result<std::string> SetAside(const Paths& paths, const std::string& uid, Instant now) {
  const std::string place =
      fmt::format("{}/quarantine/{}-{}", paths.root(), uid, now.time_since_epoch().count());
  if (auto detached = DetachSubPaths(paths.Pod(uid)); !detached) return Fail(detached.error());
  if (auto made = MakeFolders(paths.root() + "/quarantine", 0700); !made) {
    return Fail(made.error());
  }
  const auto moved = Move(paths.Pod(uid), place);
  if (!moved) return Fail(moved.error());
  bool any = *moved;
  for (const std::string& logs : LogFoldersOf(paths, uid)) {
    if (auto made = MakeFolders(place + "/logs", 0700); !made) return Fail(made.error());
    const std::string name = logs.substr(logs.rfind('/') + 1);
    any = Move(logs, fmt::format("{}/logs/{}", place, name)).value_or(false) || any;
  }
  return any ? place : std::string();
}

}  // namespace jettison::kernel
