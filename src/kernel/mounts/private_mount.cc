#include "kernel/mounts/private_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

std::array<char, 32> PathOf(int descriptor) {
  std::array<char, 32> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  return path;
}

}  // namespace

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
