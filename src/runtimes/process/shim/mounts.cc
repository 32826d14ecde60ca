#include "runtimes/process/shim/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "kernel/mounts/sub_path.h"

namespace jettison::shim {
namespace {

int OpenSource(const MountOrder& mount) {
  const int root = open(mount.source, O_PATH | O_CLOEXEC);
  if (root < 0 || mount.sub_path == nullptr) return root;
  const int fd = kernel::OpenSubPath(root, mount.source, mount.sub_path, mount.kept_by_operator);
  const int error = errno;
  close(root);
  errno = error;
  return fd;
}

bool MakeMountPoint(const char* path, bool directory) {
  struct stat facts;
  if (stat(path, &facts) == 0) return true;
  if (errno != ENOENT) return false;
  if (directory) return mkdir(path, 0755) == 0 || errno == EEXIST;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return errno == EEXIST;
  close(fd);
  return true;
}

// Makes the mount point and its parent folders.
bool MakeTarget(const MountOrder& mount, int source) {
  struct stat facts;
  if (fstat(source, &facts) != 0) return false;
  char path[PATH_MAX];
  const std::size_t length = std::strlen(mount.target);
  if (length >= sizeof(path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(path, mount.target, length + 1);
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    if (!MakeMountPoint(path, true)) return false;
    *slash = '/';
  }
  return MakeMountPoint(path, S_ISDIR(facts.st_mode));
}

// Replaces the descriptor of a source by the mount of it.
bool Attach(const MountOrder& mount, int& fd) {
  const int tree = static_cast<int>(
      syscall(SYS_open_tree, fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | O_CLOEXEC));
  if (tree < 0) return false;
  close(fd);
  fd = tree;
  return syscall(SYS_move_mount, tree, "", AT_FDCWD, mount.target,
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) == 0;
}

bool MakeReadOnly(int tree) {
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                 sizeof(attributes)) == 0;
}

bool Say(Failure& failure, Stage stage, const char* detail) {
  failure = {.stage = stage, .error = errno, .detail = detail};
  return false;
}

// The sources are opened before the first mount may hide one of them, and made read-only after the
// last, so that a mount point within a read-only volume can still be made.
bool MountAll(const Order& order, int* fds, Failure& failure) {
  const auto& mounts = order.mounts;
  for (std::size_t i = 0; i < mounts.count; ++i) {
    fds[i] = OpenSource(mounts.items[i]);
    if (fds[i] < 0) {
      const MountOrder& mount = mounts.items[i];
      return Say(failure, Stage::kSource,
                 mount.sub_path != nullptr ? mount.sub_path : mount.source);
    }
  }
  for (std::size_t i = 0; i < mounts.count; ++i) {
    const MountOrder& mount = mounts.items[i];
    if (!MakeTarget(mount, fds[i])) return Say(failure, Stage::kMountPoint, mount.target);
    if (!Attach(mount, fds[i])) return Say(failure, Stage::kMount, mount.target);
  }
  for (std::size_t i = 0; i < mounts.count; ++i) {
    const MountOrder& mount = mounts.items[i];
    if (mount.read_only && !MakeReadOnly(fds[i])) return Say(failure, Stage::kMount, mount.target);
  }
  return true;
}

}  // namespace

bool MountVolumes(const Order& order, Failure& failure) {
  if (unshare(CLONE_NEWNS) != 0) {
    if (errno == EPERM && order.mounts.count == 0) return true;
    return Say(failure, Stage::kMountNamespace, "");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return Say(failure, Stage::kMountNamespace, "");
  }
  if (order.mounts.count == 0) return true;
  auto* const fds = static_cast<int*>(std::calloc(order.mounts.count, sizeof(int)));
  if (fds == nullptr) return Say(failure, Stage::kMount, "");
  const bool mounted = MountAll(order, fds, failure);
  for (std::size_t i = 0; mounted && i < order.mounts.count; ++i) close(fds[i]);
  std::free(fds);
  return mounted;
}

bool JoinMountNamespace(Failure& failure) {
  // If the shim may not join the namespace, the container could not make one either, so it shares
  // the host's.
  if (setns(kNamespaceFile, CLONE_NEWNS) == 0 || errno == EPERM) return true;
  return Say(failure, Stage::kMountNamespace, "");
}

}  // namespace jettison::shim
