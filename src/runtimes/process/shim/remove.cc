#include "runtimes/process/shim/remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace jettison::shim {
namespace {

// Folders nested deeper than this are first moved up to the top of their tree, so that neither the
// stack nor the descriptors run out, however deep a container's folders are.
constexpr int kMaxDepth = 64;

struct Sweep {
  int top = -1;  // the top of the tree
  int error = 0;
  unsigned moved = 0;
};

// Opens a folder below `dir`, but never a mount point.
int OpenFolder(int dir, const char* name) {
  struct open_how how = {};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(syscall(SYS_openat2, dir, name, &how, sizeof(how)));
}

bool IsDots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

void Note(Sweep& sweep) {
  if (errno != ENOENT && sweep.error == 0) sweep.error = errno;
}

bool RemoveEntry(int dir, const char* name, int depth, Sweep& sweep);

// One pass over a folder; takes over `fd`. True when something in it could be removed.
bool EmptyFolder(int fd, int depth, Sweep& sweep) {
  DIR* const entries = fdopendir(fd);
  if (entries == nullptr) {
    Note(sweep);
    close(fd);
    return false;
  }
  bool progress = false;
  while (const dirent* entry = readdir(entries)) {
    if (!IsDots(entry->d_name)) {
      progress = RemoveEntry(dirfd(entries), entry->d_name, depth, sweep) || progress;
    }
  }
  closedir(entries);
  return progress;
}

bool MoveUp(int dir, const char* name, Sweep& sweep) {
  char moved[64];
  std::snprintf(moved, sizeof(moved), ".deep.%d.%u", getpid(), sweep.moved++);
  return renameat(dir, name, sweep.top, moved) == 0;
}

// Removes a file or a folder with what is in it; true when it is gone or was moved up.
bool RemoveEntry(int dir, const char* name, int depth, Sweep& sweep) {
  if (unlinkat(dir, name, 0) == 0) return true;
  if (errno != EISDIR && errno != EPERM) {
    Note(sweep);
    return false;
  }
  if (unlinkat(dir, name, AT_REMOVEDIR) == 0) return true;
  if (errno == ENOTEMPTY || errno == EEXIST) {
    if (depth >= kMaxDepth) return MoveUp(dir, name, sweep);
    const int fd = OpenFolder(dir, name);
    if (fd < 0) {
      Note(sweep);
      return false;
    }
    EmptyFolder(fd, depth + 1, sweep);
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0) return true;
  }
  Note(sweep);
  return false;
}

// Empties the folder `path` on its own filesystem, and repeats that as long as something is
// removed: a folder may have grown meanwhile, or deep ones were moved up. Returns the errno of what
// remains.
int EmptyTree(const char* path) {
  Sweep sweep;
  sweep.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (sweep.top < 0) return errno == ENOENT ? 0 : errno;
  bool progress = true;
  while (progress) {
    sweep.error = 0;
    const int fd = OpenFolder(sweep.top, ".");
    progress = fd >= 0 && EmptyFolder(fd, 0, sweep);
  }
  close(sweep.top);
  return sweep.error;
}

bool IsMountRoot(const char* path) {
  struct statx facts;
  return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &facts) == 0 &&
         (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// A read-only file system refuses a removal before it looks whether there is something.
bool IsGone(const char* path) {
  struct stat facts;
  return errno == EROFS && lstat(path, &facts) != 0 && errno == ENOENT;
}

int RemoveTree(const char* path) {
  if (unlink(path) == 0 || errno == ENOENT || IsGone(path)) return 0;
  if (IsMountRoot(path)) return EBUSY;
  const int error = EmptyTree(path);
  if (rmdir(path) == 0 || errno == ENOENT) return 0;
  return error != 0 ? error : errno;
}

// Whether a tmpfs is mounted at `path` and nowhere else, as for a volume. A bind mount shows the
// files of another place.
bool IsOwnTmpfs(const char* path) {
  struct statfs filesystem;
  struct statx facts;
  if (statfs(path, &filesystem) != 0 || filesystem.f_type != TMPFS_MAGIC) return false;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &facts) != 0 ||
      (facts.stx_mask & STATX_MNT_ID) == 0) {
    return false;
  }
  FILE* const mounts = std::fopen("/proc/self/mountinfo", "re");
  if (mounts == nullptr) return false;
  bool own = true;
  char line[PATH_MAX];
  bool at_start = true;
  while (own && std::fgets(line, sizeof(line), mounts) != nullptr) {
    unsigned long long id = 0;
    unsigned device_major = 0;
    unsigned device_minor = 0;
    // "ID PARENT MAJOR:MINOR ROOT ..."; the rest of a line that is too long does not count as a
    // line.
    if (at_start && std::sscanf(line, "%llu %*u %u:%u", &id, &device_major, &device_minor) == 3) {
      const bool same_files =
          device_major == facts.stx_dev_major && device_minor == facts.stx_dev_minor;
      own = !same_files || id == facts.stx_mnt_id;
    }
    at_start = std::strchr(line, '\n') != nullptr;
  }
  std::fclose(mounts);
  return own;
}

// Unmounts everything on an entry of `dir`. A volume in memory is emptied first, because another
// mount namespace may still hold the mount and its memory. Files and inner mounts of other mounts
// are not touched, so the unmount must not propagate.
int UnmountVolumes(const char* dir) {
  DIR* const entries = opendir(dir);
  if (entries == nullptr) return errno == ENOENT ? 0 : errno;
  int error = 0;
  while (const dirent* entry = readdir(entries)) {
    char path[PATH_MAX];
    if (IsDots(entry->d_name) || std::snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >=
                                     static_cast<int>(sizeof(path))) {
      continue;
    }
    while (IsMountRoot(path)) {
      if (IsOwnTmpfs(path)) EmptyTree(path);
      // It is made private first, so that mounts inside are not removed from its copies, too.
      if (mount(nullptr, path, nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
          umount2(path, UMOUNT_NOFOLLOW | MNT_DETACH) == 0) {
        continue;
      }
      error = errno;
      break;
    }
  }
  closedir(entries);
  return error;
}

}  // namespace

bool Remove(const Order& order, Failure& failure) {
  bool whole = true;
  const auto note = [&](Stage stage, int error, const char* path) {
    if (error == 0) return;
    if (whole) failure = {.stage = stage, .error = error, .detail = path};
    whole = false;
  };
  for (std::size_t i = 0; i < order.volume_dirs.count; ++i) {
    const char* const dir = order.volume_dirs.items[i];
    note(Stage::kUnmount, UnmountVolumes(dir), dir);
  }
  for (std::size_t i = 0; i < order.remove.count; ++i) {
    const char* const path = order.remove.items[i];
    note(Stage::kRemove, RemoveTree(path), path);
  }
  return whole;
}

}  // namespace jettison::shim
