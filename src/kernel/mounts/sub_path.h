#pragma once

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

// The part of a volume that a container mounts (subPath). The shim of the process runtime uses it,
// too, so nothing here allocates or throws.
namespace jettison::kernel {

// Opens a path beneath an open folder; -1 with errno where it cannot. The kernel resolves it: links
// may lead anywhere within the folder but never out of it.
inline int OpenBeneath(int root, const char* path) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof(how)));
}

// Makes a folder that everybody may use who may use the volume, as the kubelet does. The umask
// limits mkdir's mode, but not this one. One that is there already is kept as it is.
inline bool MakeFolderOfVolume(int parent, const char* name, mode_t mode) {
  if (::mkdirat(parent, name, mode) != 0) return errno == EEXIST;
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool made = fd >= 0 && ::fchmod(fd, mode) == 0;
  if (fd >= 0) ::close(fd);
  return made;
}

// The same as OpenBeneath, making the folders that are missing. Each step is resolved from the top.
inline int OpenOrMakeBeneath(int root, const char* path) {
  char prefix[PATH_MAX];
  if (std::strlen(path) >= sizeof(prefix)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  struct stat volume;
  if (::fstat(root, &volume) != 0) return -1;
  int parent = ::dup(root);
  for (std::size_t end = 0; parent >= 0;) {
    const std::size_t begin = end;
    const char* const slash = std::strchr(path + begin, '/');
    end = slash == nullptr ? std::strlen(path) : static_cast<std::size_t>(slash - path);
    std::memcpy(prefix, path, end);
    prefix[end] = '\0';
    int fd = OpenBeneath(root, prefix);
    if (fd < 0 && errno == ENOENT &&
        MakeFolderOfVolume(parent, prefix + begin, volume.st_mode & 07777)) {
      fd = OpenBeneath(root, prefix);
    }
    ::close(parent);
    if (fd < 0 || slash == nullptr) return fd;
    parent = fd;
    ++end;
  }
  return -1;
}

// Opens `path` within the volume at `source`, which is open as `root`. Missing folders are made,
// unless the operator keeps what the source is a link to.
inline int OpenSubPath(int root, const char* source, const char* path, bool kept_by_operator) {
  struct stat facts;
  const bool is_link = ::lstat(source, &facts) == 0 && S_ISLNK(facts.st_mode);
  return kept_by_operator && is_link ? OpenBeneath(root, path) : OpenOrMakeBeneath(root, path);
}

}  // namespace jettison::kernel
