#include "kernel/files/own_folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

constexpr int kTries = 100;
constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 10'000'000};

Result<void> CloseToOthers(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return FailErrno("stat " + folder);
  const mode_t mode = facts.st_mode & 07777U;
  if ((mode & S_IRWXO) == 0 || ::chmod(folder.c_str(), mode & ~mode_t{S_IRWXO}) == 0) return {};
  return FailErrno("close " + folder + " to other users");
}

bool IsOpenFolder(const std::string& path) {
  struct statx facts {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE,
                 &facts) == 0 &&
         S_ISDIR(facts.stx_mode) && (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0;
}

bool IsPodEntry(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames = {"volumes", "containers", "sub-paths",
                                                             "pod.json.gone", "pod.json.damaged"};
  static constexpr std::array<std::string_view, 3> kFiles = {"pod.json", "record", "mount-points"};
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  // What a removal has moved up from the depth before it was interrupted, the mark that it leaves,
  // and what was repaired.
  if (name.starts_with(".deep.") || name.starts_with(".deep-")) return true;
  if (name.ends_with(".new")) name.remove_suffix(4);  // a draft of WriteFile
  return std::ranges::find(kFiles, name) != kFiles.end();
}

}  // namespace

bool AwaitLock(int file) {
  for (int tries = 1;; ++tries) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if ((errno != EWOULDBLOCK && errno != EINTR) || tries == kTries) return false;
    ::nanosleep(&kPause, nullptr);
  }
}

bool IsPodFolder(const std::string& path) {
  if (!IsOpenFolder(path)) return false;
  const auto names = NamesIn(path);
  return names && std::ranges::all_of(*names, IsPodEntry);
}

Result<void> CheckPodPlace(const std::string& path) {
  if (!Exists(path) || IsPodFolder(path)) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} is in the pod's place, and it is not known to be a pod's because of "
                          "what is in it: move it away",
                          path));
}

Result<void> CheckPodsAreOwn(const std::string& pods, const PodMarks& marks) {
  const auto uids = NamesIn(pods);
  if (!uids) return Fail(uids.error());
  const auto is_others = [&](const std::string& uid) {
    const auto has = [&](std::string_view file) {
      return Exists(fmt::format("{}/{}/{}", pods, uid, file));
    };
    return !uid.starts_with(kDoomedPrefix) && !has(marks.own) && has(marks.other);
  };
  const auto other = std::ranges::find_if(*uids, is_others);
  if (other == uids->end()) return {};
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "pod {} ({} in all) in {} was created with `runtime: {}`, but the configuration "
          "has another runtime. Restore that setting. To change it, first end the pods with "
          "the earlier configuration and --stop-pods, and delete the folders of those that "
          "are left",
          *other, std::count_if(other, uids->end(), is_others), pods, marks.other_runtime));
}

Result<FileDescriptor> OpenRootFolders(const Paths& paths, const PodMarks& marks) {
  if (!paths.root().starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument, "the runtime's root must be an absolute path");
  }
  // What needs a folder that cannot be made says so.
  (void)MakeFolders(paths.Pods(), 0750).and_then([&] { return CloseToOthers(paths.Pods()); });
  (void)MakeFolders(paths.Logs());
  const std::string path = paths.Lock();
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock && errno == EROFS) {
    lock = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  }
  if (lock && !AwaitLock(lock.get())) {
    if (errno == EWOULDBLOCK) {
      return Fail(ErrorCode::kUnavailable, path + " is locked: another agent works in this folder");
    }
    lock.Close();
  }
  if (auto own = CheckPodsAreOwn(paths.Pods(), marks);
      !own && own.error().code == ErrorCode::kInvalidArgument) {
    return Fail(own.error());
  }
  return lock;
}

Result<std::vector<std::string>> LogFoldersOf(const Paths& paths, std::string_view uid) {
  std::vector<std::string> folders;
  const std::string logs = paths.Logs();
  const auto names = NamesIn(logs);
  if (!names) return names;
  for (const std::string& name : *names) {
    if (IsLogsOf(name, uid)) folders.push_back(fmt::format("{}/{}", logs, name));
  }
  return folders;
}

}  // namespace jettison::kernel
