#include "platform/disk_usage/directory_entries.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "ports/system_error.h"

namespace jettison::disk_usage {

Result<bool> DirectoryEntries::ReadFrom(int directory) {
  unread_ = {};
  // glibc's getdents64 wrapper is the same call; its record is struct dirent64.
  const ssize_t size = ::getdents64(directory, buffer_.get(), kBytes);
  if (size < 0 && errno == ENOENT) return false;  // the directory itself was removed
  if (size < 0) return FailErrno("list directory");
  unread_ = {buffer_.get(), static_cast<std::size_t>(size)};
  return size > 0;
}

const char* DirectoryEntries::Next() {
  while (!unread_.empty()) {
    unsigned short length = 0;
    std::memcpy(&length, unread_.data() + offsetof(dirent64, d_reclen), sizeof length);
    const auto* const name =
        reinterpret_cast<const char*>(unread_.data() + offsetof(dirent64, d_name));
    unread_ = unread_.subspan(length);
    if (const std::string_view text = name; text != "." && text != "..") return name;
  }
  return nullptr;
}

}  // namespace jettison::disk_usage
