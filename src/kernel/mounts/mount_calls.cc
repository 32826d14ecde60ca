#include "kernel/mounts/mount_calls.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "ports/file_descriptor.h"

namespace jettison::kernel {
namespace {

bool OpensWithinMount() {
  struct open_how how {};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_XDEV;
  const FileDescriptor fd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)));
  return fd || errno != ENOSYS;
}

bool TellsMountPoints() {
  struct statx facts {};
  return ::statx(AT_FDCWD, "/", AT_SYMLINK_NOFOLLOW, 0, &facts) == 0 &&
         (facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

// Asks for a change of nothing.
bool ChangesAttributes() {
  struct mount_attr attributes {};
  return ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes) == 0 ||
         errno != ENOSYS;
}

}  // namespace

MountCalls ProbeMountCalls() {
  return {.opens_within_mount = OpensWithinMount(),
          .tells_mount_points = TellsMountPoints(),
          .changes_attributes = ChangesAttributes()};
}

std::string MissingCalls(const MountCalls& calls, bool makes_mounts) {
  std::string missing;
  const auto add = [&](bool is_there, std::string_view name) {
    if (is_there) return;
    if (!missing.empty()) missing += ", ";
    missing += name;
  };
  add(calls.opens_within_mount, "openat2(2)");
  add(calls.tells_mount_points, "STATX_ATTR_MOUNT_ROOT of statx(2)");
  add(calls.changes_attributes || !makes_mounts, "mount_setattr(2)");
  return missing;
}

}  // namespace jettison::kernel
