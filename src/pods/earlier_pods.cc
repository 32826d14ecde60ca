#include "pods/earlier_pods.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/mounts/mount_info.h"
#include "ports/system_error.h"

namespace jettison {

namespace {

// Detaches the mounts, so that deleting the quarantined folder does not delete files of the host
// through them. The kernel lists mounts by their real paths.
Result<void> DetachSubPaths(const std::string& folder) {
  std::array<char, PATH_MAX> real{};
  if (::realpath((folder + "/sub-paths").c_str(), real.data()) == nullptr) {
    return errno == ENOENT ? Result<void>() : FailErrno(folder + "/sub-paths");
  }
  const std::string below = std::string(real.data()) + "/";
  auto mounts = kernel::ReadMounts("/proc/self/mountinfo");
  if (!mounts) return Fail(mounts.error());
  for (const kernel::Mount& mount : *mounts) {
    if (!mount.point.starts_with(below)) continue;
    const int error = kernel::DetachPrivately(AT_FDCWD, mount.point.c_str());
    if (error != 0 && error != EINVAL && error != ENOENT) {
      return Fail(SystemError(error, "detach " + mount.point));
    }
  }
  return {};
}

// Whether the folder existed.
Result<bool> Move(const std::string& folder, const std::string& place) {
  if (std::rename(folder.c_str(), place.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return FailErrno(fmt::format("rename {} to {}", folder, place));
}

}  // namespace

Result<PodPlan> ReadWrittenPod(const WrittenPods& written, std::string_view text,
                               const std::string& uid) {
  auto plan = written.Read(text);
  if (!plan) return Fail(ErrorCode::kInvalidArgument, plan.error().message);
  const Pod& pod = *plan->pod;
  if (pod.uid != uid) {
    return Fail(ErrorCode::kInvalidArgument, "it describes the pod " + pod.uid);
  }
  if (auto names = kernel::CheckNames(pod); !names) {
    return Fail(ErrorCode::kInvalidArgument, names.error().message);
  }
  return plan;
}

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

bool IsHashOfContent(const Pod& pod) {
  const auto hash = pod.annotations.find("kubernetes.io/config.hash");
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

Result<std::string> SetAside(const kernel::Paths& paths, const std::string& uid, Instant now) {
  const std::string place =
      fmt::format("{}/quarantine/{}-{}", paths.root(), uid, now.time_since_epoch().count());
  const auto log_folders = kernel::LogFoldersOf(paths, uid);
  if (!log_folders) return Fail(log_folders.error());
  if (auto detached = DetachSubPaths(paths.Pod(uid)); !detached) return Fail(detached.error());
  if (auto made = kernel::MakeFolders(paths.root() + "/quarantine", 0700); !made) {
    return Fail(made.error());
  }
  const auto moved = Move(paths.Pod(uid), place);
  if (!moved) return Fail(moved.error());
  bool any = *moved;
  for (const std::string& logs : *log_folders) {
    if (auto made = kernel::MakeFolders(place + "/logs", 0700); !made) return Fail(made.error());
    const std::string name = logs.substr(logs.rfind('/') + 1);
    any = Move(logs, fmt::format("{}/logs/{}", place, name)).value_or(false) || any;
  }
  return any ? place : std::string();
}

}  // namespace jettison
