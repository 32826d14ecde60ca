#include "kernel/cgroup_v1/removal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/group_tree.h"
#include "ports/system_error.h"

namespace jettison::cgroup_v1 {
namespace {

using kernel::OpenGroup;
using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{20};

std::string WhoIsThere(int parent, const std::string& name) {
  const auto group = OpenGroup(parent, name);
  return group ? kernel::DescribeProcesses(group->get()) : "nobody";
}

Result<void> RemoveOne(int parent, const std::string& name, SteadyClock::time_point deadline) {
  auto pause = kFirstPause;
  while (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
    if (errno == ENOENT) return {};
    if (errno != EBUSY) return FailErrno("remove group " + name);
    if (SteadyClock::now() >= deadline) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("group {} is still in use by {}", name, WhoIsThere(parent, name)));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return {};
}

struct Removal {
  SteadyClock::time_point deadline;

  [[nodiscard]] Result<void> Tree(int parent, const std::string& name) const {
    {
      const auto group = OpenGroup(parent, name);
      if (!group) {
        return group.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(group.error());
      }
      const auto removed = kernel::VisitGroups(
          group->get(),
          {.enter = nullptr, .leave = [this](int above, const std::string& each, int) {
             return RemoveOne(above, each, deadline);
           }});
      if (!removed) return Fail(removed.error().In(name));
    }
    return RemoveOne(parent, name, deadline);
  }
};

}  // namespace

std::string PathFromRoot(const Hierarchies& hierarchies, std::string_view path) {
  const std::string& node = hierarchies.node_group();
  return node.empty() || path.empty() ? node + std::string(path) : fmt::format("{}/{}", node, path);
}

Result<void> RemoveGroups(const Hierarchies& hierarchies, std::string_view path,
                          std::chrono::milliseconds patience) {
  if (path.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "the node's own group is not ours to remove");
  }
  const auto deadline = SteadyClock::now() + patience;
  for (const Hierarchy& hierarchy : hierarchies.all()) {
    const Removal removal{deadline};
    if (auto ok = removal.Tree(hierarchy.node.get(), std::string(path)); !ok) {
      return Fail(ok.error().In(std::string(NameOf(hierarchy.controllers.front()))));
    }
  }
  const std::string from_root = PathFromRoot(hierarchies, path);
  for (const ForeignHierarchy& hierarchy : hierarchies.foreign()) {
    const Removal removal{deadline};
    if (auto ok = removal.Tree(hierarchy.root.get(), from_root); !ok) {
      return Fail(ok.error().In(hierarchy.mount_point));
    }
  }
  return {};
}

}  // namespace jettison::cgroup_v1
