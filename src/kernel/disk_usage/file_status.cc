#include "kernel/disk_usage/file_status.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ports/system_error.h"

namespace jettison::disk_usage {
namespace {

constexpr std::uint64_t kBlock = 512;  // the unit of st_blocks
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

Result<FileStatus> Look(int directory, const char* name, int flags) {
  constexpr unsigned kWanted = STATX_TYPE | STATX_NLINK | STATX_INO | STATX_BLOCKS;
  constexpr int kAlways = AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  struct statx status {};
  if (::statx(directory, name, flags | kAlways, kWanted, &status) != 0) return FailErrno(name);
  return FileStatus{.is_directory = S_ISDIR(status.stx_mode),
                    .is_mount_point = (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
                    .links = status.stx_nlink,
                    .bytes = status.stx_blocks * kBlock,
                    .device = ::makedev(status.stx_dev_major, status.stx_dev_minor),
                    .inode = status.stx_ino};
}

tl::unexpected<Error> FailToOpen(const std::string& name) {
  const bool other = errno == ENOTDIR || errno == ELOOP || errno == EXDEV;
  return Fail(SystemError(other ? ENOENT : errno, name));
}

// struct file_handle with room for any handle.
struct alignas(file_handle) HandleBuffer {
  std::array<std::byte, sizeof(file_handle) + FileHandle::kMaxBytes> bytes{};
  [[nodiscard]] file_handle* get() { return reinterpret_cast<file_handle*>(bytes.data()); }
};

Result<HandleOnMount> Ask(int directory, const char* name, int flags) {
  HandleBuffer buffer;
  buffer.get()->handle_bytes = FileHandle::kMaxBytes;
  HandleOnMount found;
  if (::name_to_handle_at(directory, name, buffer.get(), &found.mount, flags) != 0) {
    return FailErrno("handle of a file");
  }
  found.handle.type = buffer.get()->handle_type;
  found.handle.size = buffer.get()->handle_bytes;
  std::memcpy(found.handle.bytes.data(), buffer.get()->f_handle, found.handle.size);
  return found;
}

bool IsSelfOrParent(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

Result<FileStatus> StatusOf(int directory, const char* name) {
  return Look(directory, name, AT_SYMLINK_NOFOLLOW);
}

Result<FileStatus> StatusOf(int fd) {
  return Look(fd, "", AT_EMPTY_PATH);
}

Result<FileStatus> StatusBehind(int directory, const char* name) {
  return Look(directory, name, 0);
}

// Mounted file systems are not entered, and automounts are not triggered.
Result<FileDescriptor> OpenBelow(int parent, const char* name) {
  struct open_how how {};
  how.flags = kDirectory;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  FileDescriptor fd(static_cast<int>(::syscall(SYS_openat2, parent, name, &how, sizeof how)));
  if (!fd) return FailToOpen(name);
  return fd;
}

Result<FileDescriptor> OpenTop(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), kDirectory));
  if (!fd) return FailToOpen(path);
  return fd;
}

bool ContinuesTree(int fd, const FileStatus& status, std::uint64_t device) {
  if (status.is_mount_point) return false;
  if (status.device == device) return true;
  constexpr std::uint64_t kTopOfSubvolume = 256;  // BTRFS_FIRST_FREE_OBJECTID
  struct statfs filesystem {};
  return status.inode == kTopOfSubvolume && ::fstatfs(fd, &filesystem) == 0 &&
         filesystem.f_type == BTRFS_SUPER_MAGIC;
}

Result<HandleOnMount> HandleOf(int fd) {
  return Ask(fd, "", AT_EMPTY_PATH);
}

Result<HandleOnMount> HandleOf(int directory, const char* name) {
  return Ask(directory, name, 0);
}

Result<FileDescriptor> OpenDirectoryByHandle(int mount_fd, const FileHandle& handle) {
  HandleBuffer buffer;
  buffer.get()->handle_bytes = handle.size;
  buffer.get()->handle_type = handle.type;
  std::memcpy(buffer.get()->f_handle, handle.bytes.data(), handle.size);
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  FileDescriptor fd(::open_by_handle_at(mount_fd, buffer.get(), kFlags));
  if (fd) return fd;
  return Fail(SystemError(errno == ESTALE ? ENOENT : errno, "open by handle"));
}

Result<bool> DirectoryEntries::ReadFrom(int directory) {
  unread_ = {};
  // glibc's getdents64 wrapper is the same call; its record is struct dirent64.
  const ssize_t size = ::getdents64(directory, buffer_.get(), kBytes);
  if (size < 0 && errno == ENOENT) return false;  // the directory itself was removed
  if (size < 0) return FailErrno("list directory");
  unread_ = {buffer_.get(), static_cast<std::size_t>(size)};
  return size > 0;
}

std::optional<DirectoryEntry> DirectoryEntries::Next() {
  while (!unread_.empty()) {
    const std::byte* const record = unread_.data();
    unsigned short length = 0;
    std::memcpy(&length, record + offsetof(dirent64, d_reclen), sizeof length);
    unread_ = unread_.subspan(length);
    const auto* const name = reinterpret_cast<const char*>(record + offsetof(dirent64, d_name));
    if (IsSelfOrParent(name)) continue;
    const auto type = std::to_integer<unsigned char>(record[offsetof(dirent64, d_type)]);
    return DirectoryEntry{.name = name, .is_directory = type == DT_DIR};
  }
  return std::nullopt;
}

}  // namespace jettison::disk_usage
