#include "kernel/disk_usage/directory_entries.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ports/system_error.h"

namespace jettison::disk_usage {
namespace {

bool IsSelfOrParent(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

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
    DirectoryEntry entry{.name = name, .is_directory = type == DT_DIR};
    std::memcpy(&entry.inode, record + offsetof(dirent64, d_ino), sizeof entry.inode);
    return entry;
  }
  return std::nullopt;
}

}  // namespace jettison::disk_usage
