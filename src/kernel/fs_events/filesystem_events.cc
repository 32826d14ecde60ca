#include "kernel/fs_events/filesystem_events.h"

#include <fcntl.h>
#include <linux/fanotify.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>

#include "ports/system_error.h"

namespace jettison::fs_events {
namespace {

constexpr std::uint64_t kEntryChanged = FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO;

// The kernel's struct at the beginning of `bytes`; absent if there are too few bytes.
template <typename T>
std::optional<T> Head(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

bool NamesDirectory(unsigned char type) {
  return type == FAN_EVENT_INFO_TYPE_FID || type == FAN_EVENT_INFO_TYPE_DFID ||
         type == FAN_EVENT_INFO_TYPE_DFID_NAME;
}

struct HandleHead {  // struct file_handle before its bytes
  std::uint32_t handle_bytes;
  std::int32_t handle_type;
};

std::optional<FileHandle> HandleIn(std::span<const std::byte> info) {
  if (info.size() < sizeof(fanotify_event_info_fid)) return std::nullopt;
  const auto rest = info.subspan(sizeof(fanotify_event_info_fid));
  const auto head = Head<HandleHead>(rest);
  if (!head || head->handle_bytes > FileHandle::kMaxBytes) return std::nullopt;
  const auto bytes = rest.subspan(sizeof(HandleHead));
  if (bytes.size() < head->handle_bytes) return std::nullopt;
  FileHandle handle;
  handle.type = head->handle_type;
  handle.size = head->handle_bytes;
  std::memcpy(handle.bytes.data(), bytes.data(), head->handle_bytes);
  return handle;
}

// The directory that an event's information records name.
std::optional<FileHandle> DirectoryIn(std::span<const std::byte> infos) {
  while (const auto head = Head<fanotify_event_info_header>(infos)) {
    if (head->len < sizeof *head || head->len > infos.size()) return std::nullopt;
    if (NamesDirectory(head->info_type)) return HandleIn(infos.first(head->len));
    infos = infos.subspan(head->len);
  }
  return std::nullopt;
}

void AddChange(const DirectoryChange& change, EventRecords& records) {
  const auto [place, is_new] =
      records.places.try_emplace(KeyOf(change.directory), records.changes.size());
  if (is_new) {
    records.changes.push_back(change);
  } else if (change.subdirectories) {
    records.changes[place->second].subdirectories = true;
  }
}

}  // namespace

void ParseEvents(std::span<const std::byte> buffer, EventRecords& records) {
  while (!buffer.empty()) {
    const auto event = Head<fanotify_event_metadata>(buffer);
    const bool sound = event && event->vers == FANOTIFY_METADATA_VERSION &&
                       event->metadata_len >= sizeof *event &&
                       event->event_len >= event->metadata_len && event->event_len <= buffer.size();
    if (!sound) {
      records.lost = true;
      return;
    }
    ++records.events;
    const auto directory = DirectoryIn(buffer.first(event->event_len).subspan(event->metadata_len));
    if ((event->mask & FAN_Q_OVERFLOW) != 0 || !directory) {
      records.lost = true;
    } else {
      const bool entry = (event->mask & kEntryChanged) != 0;
      const bool subdirectories = entry && (event->mask & FAN_ONDIR) != 0;
      AddChange({.directory = *directory, .subdirectories = subdirectories}, records);
    }
    buffer = buffer.subspan(event->event_len);
  }
}

}  // namespace jettison::fs_events

namespace jettison {
namespace {

// All changes after which the files of a directory may occupy more or less than before. FAN_ATTRIB
// is included because extended attributes and access lists can take a block.
constexpr std::uint64_t kChanges =
    FAN_MODIFY | FAN_ATTRIB | FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | FAN_ONDIR;

// EINVAL: the kernel does not know these marks. ENODEV, EXDEV: the file system has no id, or this
// part of it, a subvolume of a btrfs, has none of its own. EOPNOTSUPP: it has no handles.
tl::unexpected<Error> Refused(const std::string& what) {
  const bool cannot = errno == EINVAL || errno == ENODEV || errno == EXDEV;
  return Fail(SystemError(cannot ? EOPNOTSUPP : errno, what));
}

// fanotify_mark(2) for the file system of `path`.
bool MarkFilesystem(int group, unsigned flags, std::uint64_t mask, const std::string& path) {
  flags |= FAN_MARK_FILESYSTEM;
  return ::fanotify_mark(group, flags, mask, AT_FDCWD, path.c_str()) == 0;
}

// How many events a group has queued: FIONREAD counts the metadata of each, and nothing else
// (fanotify_ioctl).
std::size_t QueuedIn(int group) {
  constexpr std::size_t kDefaultLimit = 16'384;  // of a queue
  int bytes = 0;
  if (::ioctl(group, FIONREAD, &bytes) != 0) return kDefaultLimit;
  return static_cast<std::size_t>(bytes) / FAN_EVENT_METADATA_LEN;
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

// Later events than those that are queued now may be left for the next call.
FilesystemEvents::Changes FilesystemEvents::Take() {
  const std::size_t queued = QueuedIn(group_.get());
  std::vector<std::byte> buffer(std::size_t{64} * 1024);
  fs_events::EventRecords records;
  while (records.events < queued && !records.lost) {
    const ssize_t size = ::read(group_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      records.lost = size < 0 && errno != EAGAIN;
      break;
    }
    fs_events::ParseEvents(std::span(buffer).first(static_cast<std::size_t>(size)), records);
  }
  return {.directories = std::move(records.changes), .lost = records.lost};
}

bool KernelAnnouncesOverlayWrites() {
  struct utsname name {};
  int major = 0;
  int minor = 0;
  if (::uname(&name) != 0) return false;
  if (std::sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 5);
}

}  // namespace jettison
