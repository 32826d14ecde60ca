#include "kernel/fs_events/filesystem_events.h"

#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <unordered_map>

#include "kernel/fs_events/btrfs_top.h"
#include "kernel/fs_events/event_records.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// All changes after which the files of a directory may occupy more or less than before. FAN_ATTRIB
// is included because extended attributes and access lists can take a block.
constexpr std::uint64_t kChanges =
    FAN_MODIFY | FAN_ATTRIB | FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | FAN_ONDIR;

// EINVAL: the kernel does not know these marks. ENODEV, EXDEV: the file system, or this part of it,
// has no id. EOPNOTSUPP: it has no handles.
tl::unexpected<Error> Refused(const std::string& what) {
  const bool cannot = errno == EINVAL || errno == ENODEV || errno == EXDEV;
  return Fail(SystemError(cannot ? EOPNOTSUPP : errno, what));
}

// fanotify_mark(2) for the file system of `path`. The kernel takes a btrfs by its top-level
// subvolume alone (fanotify_test_fsid), which the path need not be in.
bool MarkFilesystem(int group, unsigned flags, std::uint64_t mask, const std::string& path) {
  flags |= FAN_MARK_FILESYSTEM;
  if (::fanotify_mark(group, flags, mask, AT_FDCWD, path.c_str()) == 0) return true;
  if (errno != EXDEV) return false;
  const FileDescriptor top = fs_events::OpenTopOfBtrfs(path);
  if (top) return ::fanotify_mark(group, flags, mask, top.get(), nullptr) == 0;
  errno = EXDEV;
  return false;
}

}  // namespace

Result<FilesystemEvents> FilesystemEvents::Of(const std::string& path) {
  constexpr unsigned kGroup = FAN_CLASS_NOTIF | FAN_REPORT_DIR_FID | FAN_CLOEXEC | FAN_NONBLOCK;
  FileDescriptor group(::fanotify_init(kGroup, O_RDONLY | O_CLOEXEC));
  if (!group) return Refused("changes of the file system of " + path);
  if (!MarkFilesystem(group.get(), FAN_MARK_ADD, kChanges, path)) {
    return Refused("changes of the file system of " + path);
  }
  return FilesystemEvents(std::move(group));
}

// FAN_OPEN is not part of the mark, so removing it changes nothing; without a mark the call fails.
bool FilesystemEvents::Covers(const std::string& path) const {
  return MarkFilesystem(group_.get(), FAN_MARK_REMOVE, FAN_OPEN, path);
}

FilesystemEvents::Changes FilesystemEvents::Take() {
  std::vector<std::byte> buffer(std::size_t{64} * 1024);
  fs_events::EventRecords records;
  for (;;) {
    const ssize_t size = ::read(group_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      records.lost = records.lost || (size < 0 && errno != EAGAIN);
      break;
    }
    fs_events::ParseEvents({buffer.data(), static_cast<std::size_t>(size)}, records);
  }
  Changes changes{.directories = {}, .lost = records.lost};
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const DirectoryChange& change : records.changes) {
    const auto [place, is_new] =
        places.try_emplace(KeyOf(change.directory), changes.directories.size());
    if (is_new) {
      changes.directories.push_back(change);
    } else if (change.subdirectories) {
      changes.directories[place->second].subdirectories = true;
    }
  }
  return changes;
}

bool AnnouncesOverlayWrites(const std::string& release) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 5);
}

bool KernelAnnouncesOverlayWrites() {
  struct utsname name {};
  return ::uname(&name) == 0 && AnnouncesOverlayWrites(name.release);
}

}  // namespace jettison
