#include "kernel/cgroup_v2/removal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "kernel/cgroup_v2/kernel_files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/group_tree.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cgroup_v2 {
namespace {

using kernel::OpenGroup;
using SteadyClock = std::chrono::steady_clock;

// The kernel reports a change of cgroup.events to its readers (POLLPRI). The file is also read
// again after a while, because a group can be busy without a process (EBUSY for the kernel's own
// reasons).
void AwaitEmpty(int group, SteadyClock::time_point deadline) {
  constexpr std::chrono::milliseconds kLongest{20};
  const auto events = kernel::OpenFile(group, "cgroup.events");
  if (!events) return;
  const auto text = kernel::ReadToEnd(events->get());
  const auto now = text ? ParseEvents(*text) : Result<GroupEvents>(Fail(text.error()));
  if (now && !now->populated) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
  pollfd changed = {.fd = events->get(), .events = POLLPRI, .revents = 0};
  const auto wait = std::clamp(left, std::chrono::milliseconds(0), kLongest);
  (void)::poll(&changed, 1, static_cast<int>(wait.count()));
}

Result<void> RemoveOne(int parent, const std::string& name, int group,
                       SteadyClock::time_point deadline) {
  while (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
    if (errno == ENOENT) return {};
    if (errno != EBUSY) return FailErrno("remove group " + name);
    if (SteadyClock::now() >= deadline) {
      return Fail(ErrorCode::kUnavailable, fmt::format("group {} is still in use by {}", name,
                                                       kernel::DescribeProcesses(group)));
    }
    AwaitEmpty(group, deadline);
  }
  return {};
}

Result<void> RemoveTree(int parent, const std::string& name, SteadyClock::time_point deadline) {
  const auto top = OpenGroup(parent, name);
  if (!top) return top.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(top.error());
  const auto remove = [deadline](int above, const std::string& each, int group) {
    return RemoveOne(above, each, group, deadline);
  };
  const auto below = kernel::VisitGroups(top->get(), {.enter = nullptr, .leave = remove});
  if (!below) return Fail(below.error().In(name));
  return remove(parent, name, top->get());
}

}  // namespace

Result<void> RemoveGroups(int root, std::string_view path, std::chrono::milliseconds patience) {
  return RemoveTree(root, std::string(path), SteadyClock::now() + patience);
}

}  // namespace jettison::cgroup_v2
