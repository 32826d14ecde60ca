#include "kernel/files/root_lock.h"

#include <fcntl.h>

#include <cerrno>

#include "kernel/files/await_lock.h"
#include "ports/system_error.h"

namespace jettison::kernel {

Result<FileDescriptor> LockRoot(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file && errno == EROFS) {
    file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  }
  if (!file) return FailErrno("open " + path);
  if (AwaitLock(file.get())) return file;
  if (errno == EWOULDBLOCK) {
    return Fail(ErrorCode::kUnavailable, path + " is locked: another agent works in this folder");
  }
  return FailErrno("lock " + path);
}

}  // namespace jettison::kernel
