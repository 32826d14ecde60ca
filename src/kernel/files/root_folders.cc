#include "kernel/files/root_folders.h"

#include <sys/stat.h>

#include <string>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/root_lock.h"
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
