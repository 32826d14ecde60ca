#include "pods/tree_removal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "kernel/disk_usage/file_status.h"
#include "kernel/mounts/mount_info.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxStackedMounts = 64;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsMounted(int folder, const char* name) {
  struct statx facts {};
  return ::statx(folder, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &facts) == 0 &&
         (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// Opens a folder in an open one, but never what is mounted there, whether or not the kernel tells
// that something is. Kernels before 5.6 cannot, and then nothing is opened.
int OpenWithinMount(int folder, const char* name) {
  struct open_how how {};
  how.flags = kFolder;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
}

// Calls back with the name of each entry of an open folder. One round may miss entries that change
// meanwhile. False: the folder was empty.
template <typename Visit>
bool ForEachName(int folder, Visit visit) {
  disk_usage::DirectoryEntries entries;
  bool any = false;
  (void)::lseek(folder, 0, SEEK_SET);
  for (auto some = entries.ReadFrom(folder); some && *some; some = entries.ReadFrom(folder)) {
    while (const auto entry = entries.Next()) {
      any = true;
      visit(entry->name);
    }
  }
  return any;
}

// A read-only file system refuses a removal before it looks whether there is something.
bool IsGone(int folder, const char* name) {
  struct stat facts {};
  return errno == EROFS && ::fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 &&
         errno == ENOENT;
}

// One deletion; remembers what went wrong first.
class Removal {
 public:
  // Deletes `name` in the open folder.
  void Remove(int folder, const char* name, int depth) {
    for (int i = 0; i < kMaxStackedMounts && IsMounted(folder, name); ++i) {
      if (const int error = kernel::DetachPrivately(folder, name); error != 0) return Note(error);
    }
    if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT || IsGone(folder, name)) return;
    if (errno != EISDIR && errno != EPERM) return Note(errno);
    const int inner = folder == AT_FDCWD ? ::open(name, kFolder) : OpenWithinMount(folder, name);
    if (inner < 0) return Note(errno);
    Empty(inner, depth + 1);
    ::close(inner);
    if (::unlinkat(folder, name, AT_REMOVEDIR) != 0 && errno != ENOENT) Note(errno);
  }
  // Deletes everything in an open folder; what is nested too deep is first moved up to the top of
  // the tree.
  void Empty(int folder, int depth) {
    if (depth == 1) top_ = folder;
    const auto remove = [&](const char* name) {
      if (depth < kMaxDepth || !MoveUp(folder, name)) Remove(folder, name, depth);
    };
    while (ForEachName(folder, remove) && error_ == 0) {
    }
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  void Note(int error) {
    if (error_ == 0) error_ = error;
  }

  [[nodiscard]] bool MoveUp(int folder, const char* name) {
    struct stat facts {};
    if (::fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(facts.st_mode)) {
      return false;
    }
    std::array<char, 32> moved{};
    (void)std::snprintf(moved.data(), moved.size(), ".deep-%lu", moved_++);
    return ::renameat(folder, name, top_, moved.data()) == 0;
  }

  int error_ = 0;
  int top_ = -1;
  unsigned long moved_ = 0;
};

}  // namespace

int RemoveTree(const char* path) {
  Removal removal;
  removal.Remove(AT_FDCWD, path, 0);
  return removal.error();
}

int EmptyVolume(const MemoryVolume& volume) {
  const int open = ::open(volume.path.c_str(), kFolder);
  if (open < 0) return errno == ENOENT ? 0 : errno;
  Removal removal;
  struct stat facts {};
  if (::fstat(open, &facts) == 0 && facts.st_dev == volume.device) removal.Empty(open, 1);
  ::close(open);
  return removal.error();
}

// A part of a volume that a container used is another mount of the volume's file system, below the
// pod's own sub-paths. The kernel lists mounts by their real paths.
std::vector<MemoryVolume> MemoryVolumesOf(const std::string& pod) {
  std::array<char, PATH_MAX> real{};
  if (::realpath(pod.c_str(), real.data()) == nullptr) return {};
  const std::string volumes = std::string(real.data()) + "/volumes/";
  const std::string sub_paths = std::string(real.data()) + "/sub-paths/";
  const auto mounts =
      kernel::ReadMounts("/proc/self/mountinfo").value_or(std::vector<kernel::Mount>{});
  std::vector<MemoryVolume> memory;
  for (const kernel::Mount& mount : mounts) {
    const bool is_volume = mount.type == "tmpfs" && mount.IsOfRoot() &&
                           mount.point.starts_with(volumes) &&
                           mount.point.find('/', volumes.size()) == std::string::npos;
    const auto is_elsewhere = [&](const kernel::Mount& other) {
      return &other != &mount && other.device == mount.device &&
             !other.point.starts_with(sub_paths);
    };
    if (is_volume && std::ranges::none_of(mounts, is_elsewhere)) {
      memory.push_back({.path = mount.point, .device = mount.device});
    }
  }
  return memory;
}

Result<void> RemoveTrees(const std::vector<std::string>& trees) {
  Result<void> outcome;
  for (const std::string& tree : trees) {
    const int error = RemoveTree(tree.c_str());
    if (error != 0 && outcome) outcome = Fail(SystemError(error, "delete " + tree));
  }
  return outcome;
}

}  // namespace jettison
