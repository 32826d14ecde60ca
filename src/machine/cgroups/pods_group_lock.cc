#include "machine/cgroups/pods_group_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <utility>

#include "kernel/files/await_lock.h"
#include "machine/cgroups/lock_holder.h"

namespace jettison {
namespace {

// Of cgroup v2 from Linux 5.14 on, and of v1. Nothing is written into them.
constexpr std::array<const char*, 2> kFilesOfRoot = {"cgroup.kill", "memory.force_empty"};

FileDescriptor OpenFileOfRoot(int folder) {
  for (const char* name : kFilesOfRoot) {
    FileDescriptor file(::openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat facts {};
    if (file && ::fstat(file.get(), &facts) == 0 && (facts.st_mode & 0077U) == 0) return file;
  }
  return {};
}

Error Refusal(const PodsGroupName& group, const std::string& root, const std::string& holder) {
  return {ErrorCode::kUnavailable,
          fmt::format("the cgroup of all pods, {}, belongs to another agent, {}; this agent, "
                      "with the root {}, would end its pods. Stop the other agent, or set "
                      "nodeCgroup or cgroupRoot of one of the two to another cgroup",
                      group.shown, holder, root)};
}

std::string Unlocked(bool has_file) {
  if (has_file) return "";
  return "the cgroup of all pods cannot be locked; make sure that no other agent uses it";
}

std::string HeldByOthers(const std::string& holder, bool has_file) {
  return fmt::format(
      "the folder of the cgroup of all pods is locked by {}, which is no agent and is ignored{}",
      holder,
      has_file ? "; agents of earlier versions would start beside this one"
               : "; make sure that no other agent uses the cgroup");
}

}  // namespace

Result<PodsGroupLock> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                    const std::string& root) {
  if (auto made = groups.Create(group.path, CgroupLimits{}); !made) return Fail(made.error());
  auto folder = groups.OpenMemoryDirectory(group.path);
  if (!folder) return Fail(folder.error());
  PodsGroupLock lock{.file = OpenFileOfRoot(folder->get()), .folder = {}, .warning = {}};
  if (lock.file && !kernel::AwaitLock(lock.file.get())) {
    if (errno == EWOULDBLOCK) {
      return Fail(Refusal(group, root, DescribeLockHolder(lock.file.get()).description));
    }
    lock.file.Close();
  }
  if (kernel::AwaitLock(folder->get())) {
    lock.folder = std::move(*folder);
    return lock;
  }
  const bool has_file = static_cast<bool>(lock.file);
  if (errno != EWOULDBLOCK) {
    lock.warning = Unlocked(has_file);
    return lock;
  }
  const KnownHolder holder = DescribeLockHolder(folder->get());
  if (holder.may_be_agent) return Fail(Refusal(group, root, holder.description));
  lock.warning = HeldByOthers(holder.description, has_file);
  return lock;
}

}  // namespace jettison
