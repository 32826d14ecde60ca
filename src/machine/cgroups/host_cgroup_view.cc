#include "machine/cgroups/host_cgroup_view.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

Result<void> Enter(const std::string& host) {
  const FileDescriptor view(::open(host.c_str(), O_RDONLY | O_CLOEXEC));
  if (!view) return FailErrno("open " + host);
  if (::setns(view.get(), CLONE_NEWCGROUP) != 0) return FailErrno("setns");
  return {};
}

}  // namespace

bool AreGroupsSeenFromWithin(const std::vector<kernel::Mount>& mounts) {
  return std::ranges::any_of(mounts, [](const kernel::Mount& mount) {
    return mount.type.starts_with("cgroup") && mount.root.starts_with("/..");
  });
}

Result<void> EnterHostCgroupView(const std::string& mountinfo_file, const std::string& host) {
  const auto mounts = kernel::ReadMounts(mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  if (!AreGroupsSeenFromWithin(*mounts)) return {};
  if (const auto entered = Enter(host); !entered) {
    return Fail(entered.error().In(
        "the container sees control groups in a namespace of its own, where pods have no names; "
        "give it hostPID and the capabilities SYS_ADMIN and SYS_PTRACE"));
  }
  return {};
}

}  // namespace jettison
