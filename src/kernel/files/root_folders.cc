#include "kernel/files/root_folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>

#include "kernel/files/await_lock.h"
#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

Result<void> CloseToOthers(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return FailErrno("stat " + folder);
  const mode_t mode = facts.st_mode & 07777U;
  if ((mode & S_IRWXO) == 0 || ::chmod(folder.c_str(), mode & ~mode_t{S_IRWXO}) == 0) return {};
  return FailErrno("close " + folder + " to other users");
}

}  // namespace

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

Result<void> MakeRootFolders(const Paths& paths) {
  return MakeFolders(paths.Pods(), 0750)
      .and_then([&] { return CloseToOthers(paths.Pods()); })
      .and_then([&] { return MakeFolders(paths.Logs()); });
}

Result<FileDescriptor> OpenRootFolders(const Paths& paths) {
  (void)MakeRootFolders(paths);  // what needs them says so
  auto lock = LockRoot(paths.Lock());
  const bool is_others = !lock && lock.error().code == ErrorCode::kUnavailable;
  return lock || is_others ? std::move(lock) : FileDescriptor();
}

}  // namespace jettison::kernel
