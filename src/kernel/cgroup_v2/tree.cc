#include "kernel/cgroup_v2/tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/kernel_groups.h"

namespace jettison::cgroup_v2 {
namespace {

using kernel::OpenGroup;
using kernel::ReadFile;
using kernel::WriteFile;

bool Has(int group, const char* file) {
  return ::faccessat(group, file, F_OK, 0) == 0;
}

// The kernel refuses to enable a domain controller below a group with processes (EBUSY), unless it
// is the root: "no internal processes". The agent only requires memory; if another controller is
// refused, setting its limits fails later.
Result<void> HandDown(int group, std::string_view controller) {
  const auto written = WriteFile(group, "cgroup.subtree_control", fmt::format("+{}", controller));
  if (written || controller != "memory") return {};
  Error error = written.error();
  if (error.code == ErrorCode::kUnavailable) {
    error.message += fmt::format(
        "; processes live in this very group, and cgroup v2 gives controllers only to groups below "
        "one without: move them into a group below it ({})",
        kernel::DescribeProcesses(group));
  }
  return Fail(error);
}

// Enables memory on the way from the top to the group.
Result<void> HandMemoryDownTo(int top, std::string_view path) {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    const auto group = OpenGroup(top, path.substr(0, end));
    if (!group) return Fail(group.error());
    const auto given = ReadFile(group->get(), "cgroup.subtree_control");
    if (!given) return Fail(given.error());
    if (!HasController(*given, "memory")) {
      if (auto ok = HandDown(group->get(), "memory"); !ok) return ok;
    }
    end = path.find('/', end + 1);
  }
  return {};
}

Result<FileDescriptor> EnterNode(int top, const std::string& point, std::string_view node_group,
                                 bool has_memory) {
  auto node = kernel::OpenNode(top, point, node_group);
  if (!node) return node;
  if (node_group.empty() || !has_memory || Has(node->get(), "memory.current")) return node;
  if (auto ok = HandMemoryDownTo(top, node_group); !ok) {
    return Fail(ok.error().In(fmt::format("memory of {}/{} is not counted", point, node_group)));
  }
  return node;
}

}  // namespace

bool HasController(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const auto end = text.find_first_of(" \n");
    if (text.substr(0, end) == controller) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

std::optional<std::string> FindUnified(const std::vector<kernel::Mount>& mounts) {
  const kernel::Mount* found = nullptr;
  for (const kernel::Mount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    if (found == nullptr || (mount.IsOfRoot() && !found->IsOfRoot())) found = &mount;
  }
  return found == nullptr ? std::nullopt : std::optional(found->point);
}

Result<std::string> ControllersAt(const std::string& mount_point) {
  const auto top = kernel::OpenMountPoint(mount_point);
  if (!top) return Fail(top.error());
  return ReadFile(top->get(), "cgroup.controllers");
}

Result<Tree> Tree::Open(const std::vector<kernel::Mount>& mounts, std::string_view node_group) {
  if (auto ok = kernel::CheckPath(node_group); !ok) return Fail(ok.error().In("nodeCgroup"));
  const auto point = FindUnified(mounts);
  if (!point) {
    return Fail(ErrorCode::kUnavailable,
                "no control groups are mounted: mount -t cgroup2 none /sys/fs/cgroup");
  }
  const auto controllers = ControllersAt(*point);
  if (!controllers) return Fail(controllers.error().In(*point));
  Tree tree;
  auto top = kernel::OpenMountPoint(*point);
  if (!top) return Fail(top.error());
  auto node = EnterNode(top->get(), *point, node_group, HasController(*controllers, "memory"));
  if (!node) return Fail(node.error());
  tree.top_ = std::move(*top);
  tree.node_ = std::move(*node);
  tree.node_group_ = node_group;
  tree.top_is_root_ = !Has(tree.top(), "memory.current") && !Has(tree.top(), "cgroup.events");
  return tree;
}

Result<void> HandControllersDown(int group) {
  const auto own = ReadFile(group, "cgroup.controllers");
  if (!own) return Fail(own.error());
  const auto given = ReadFile(group, "cgroup.subtree_control");
  if (!given) return Fail(given.error());
  for (const std::string_view controller : kControllers) {
    if (!HasController(*own, controller) || HasController(*given, controller)) continue;
    if (auto ok = HandDown(group, controller); !ok) return ok;
  }
  return {};
}

}  // namespace jettison::cgroup_v2
