#include "kernel/disk_usage/file_handle.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "ports/system_error.h"

namespace jettison::disk_usage {
namespace {

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

}  // namespace

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

}  // namespace jettison::disk_usage
