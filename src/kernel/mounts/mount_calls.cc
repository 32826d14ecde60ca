#include "kernel/mounts/mount_calls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

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

std::array<char, 32> PathOf(int descriptor) {
  std::array<char, 32> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  return path;
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

// An agent that is killed between the two calls leaves a mount that is not private. DetachPrivately
// makes it private before it detaches it.
Result<void> BindPrivately(const FileDescriptor& content, const std::string& place) {
  if (::mount(PathOf(content.get()).data(), place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    return FailErrno("mount at " + place);
  }
  if (::mount(nullptr, place.c_str(), nullptr, MS_PRIVATE, nullptr) == 0) return {};
  const auto failed = FailErrno(fmt::format("make the mount at {} private", place));
  // The unmount is not lazy, so it fails while something is mounted inside.
  (void)::umount2(place.c_str(), UMOUNT_NOFOLLOW);
  return failed;
}

// By a descriptor, so that both calls affect the same mount.
int DetachPrivately(int folder, const char* name) {
  const int mount_point = ::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (mount_point < 0) return errno;
  const std::array<char, 32> path = PathOf(mount_point);
  int error = 0;
  if (::mount(nullptr, path.data(), nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::umount2(path.data(), MNT_DETACH) != 0) {
    error = errno;
  }
  ::close(mount_point);
  return error;
}

}  // namespace jettison::kernel
