#include "pods/removal_job.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "kernel/mounts/mount_info.h"

namespace jettison {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxStackedMounts = 64;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The record of getdents64.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

bool IsDots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

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
  std::array<char, 4096> buffer;
  bool any = false;
  (void)::lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (size <= 0) return any;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      at += entry->size;
      if (IsDots(entry->name)) continue;
      any = true;
      visit(entry->name);
    }
  }
}

// A read-only file system refuses a removal before it looks whether there is something.
bool IsGone(int folder, const char* name) {
  struct stat facts {};
  return errno == EROFS && ::fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 &&
         errno == ENOENT;
}

// A mount of /proc/self/mountinfo: "ID PARENT MAJOR:MINOR ROOT ...".
struct MountLine {
  std::uint64_t id = 0;
  std::uint64_t device_major = 0;
  std::uint64_t device_minor = 0;
  bool shows_all = false;  // its root is "/"
};

// Takes such a file character by character; only the beginnings of lines are kept.
class MountLines {
 public:
  // True when `line()` is whole with this character.
  [[nodiscard]] bool Take(char next) {
    if (next == '\n') {
      const bool is_whole = field_ >= kRoot;
      if (!is_whole) *this = {};
      return is_whole;
    }
    if (next == ' ') {
      ++field_;
      return false;
    }
    if (field_ == kRoot) {
      line_.shows_all = root_size_++ == 0 && next == '/';
    } else if (next == ':') {
      is_minor_ = true;
    } else if (next >= '0' && next <= '9') {
      AddDigit(static_cast<std::uint64_t>(next - '0'));
    }
    return false;
  }
  // The line that is whole; the next one begins.
  [[nodiscard]] MountLine Line() {
    const MountLine line = line_;
    *this = {};
    return line;
  }

 private:
  static constexpr int kDevice = 2;
  static constexpr int kRoot = 3;

  void AddDigit(std::uint64_t digit) {
    if (field_ == 0) line_.id = line_.id * 10 + digit;
    if (field_ != kDevice) return;
    std::uint64_t& number = is_minor_ ? line_.device_minor : line_.device_major;
    number = number * 10 + digit;
  }

  MountLine line_;
  int field_ = 0;
  bool is_minor_ = false;
  std::size_t root_size_ = 0;
};

// Whether the open mountinfo lists this mount with all of its file system, and no other mount of
// the same.
bool IsOnlyMount(int mountinfo, const struct statx& mount) {
  MountLines lines;
  bool is_there = false;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t size = ::read(mountinfo, buffer.data(), buffer.size());
    if (size < 0) return false;
    if (size == 0) return is_there;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      if (!lines.Take(buffer[i])) continue;
      const MountLine line = lines.Line();
      if (line.device_major != mount.stx_dev_major || line.device_minor != mount.stx_dev_minor) {
        continue;
      }
      if (line.id != mount.stx_mnt_id || !line.shows_all) return false;
      is_there = true;
    }
  }
}

// Whether the open folder is the root of a tmpfs that is mounted there and nowhere else, as for a
// volume in memory. What a bind mount shows belongs to another place, and so does a tmpfs whose
// mounts cannot be read. Mounts that only other mount namespaces have do not count. Allocates
// nothing and takes no lock.
bool IsOwnTmpfs(int folder) {
  struct statfs filesystem {};
  if (::fstatfs(folder, &filesystem) != 0 || filesystem.f_type != TMPFS_MAGIC) return false;
  struct statx mount {};
  if (::statx(folder, "", AT_EMPTY_PATH, STATX_MNT_ID, &mount) != 0 ||
      (mount.stx_mask & STATX_MNT_ID) == 0 || (mount.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) {
    return false;
  }
  const int mountinfo = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (mountinfo < 0) return false;
  const bool is_own = IsOnlyMount(mountinfo, mount);
  ::close(mountinfo);
  return is_own;
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

// The paths are made by the parent: the child allocates nothing.
struct Deletion {
  explicit Deletion(const RemovalOrder& order)
      : sub_paths(order.pod.empty() ? "" : order.pod + "/sub-paths"),
        volumes(order.pod.empty() ? "" : order.pod + "/volumes"),
        trees(order.trees) {}

  // A part of a volume that a container used is another mount of the volume's file system, and only
  // what is mounted once is emptied.
  [[nodiscard]] int Run() const {
    int error = 0;
    const auto note = [&](int failed) {
      if (error == 0) error = failed;
    };
    if (!sub_paths.empty()) note(RemoveTree(sub_paths.c_str()));
    if (!volumes.empty()) note(EmptyMemoryVolumes(volumes.c_str()));
    for (const std::string& tree : trees) note(RemoveTree(tree.c_str()));
    return error;
  }

  std::string sub_paths;
  std::string volumes;
  const std::vector<std::string>& trees;
};

}  // namespace

int RemoveTree(const char* path) {
  Removal removal;
  removal.Remove(AT_FDCWD, path, 0);
  return removal.error();
}

int EmptyMemoryVolumes(const char* folder) {
  const int open = ::open(folder, kFolder);
  if (open < 0) return errno == ENOENT ? 0 : errno;
  int error = 0;
  ForEachName(open, [&](const char* name) {
    if (!IsMounted(open, name)) return;
    const int inner = ::openat(open, name, kFolder);
    if (inner < 0) return;
    if (IsOwnTmpfs(inner)) {
      Removal removal;
      removal.Empty(inner, 1);
      if (error == 0) error = removal.error();
    }
    ::close(inner);
  });
  ::close(open);
  return error;
}

Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                               const RemovalOrder& order, ChildJob::Done done) {
  const Deletion removal(order);
  return ChildJob::Start(
      readiness, "delete files", [&removal] { return removal.Run(); }, std::move(done));
}

}  // namespace jettison
