#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"
#include "ports/file_descriptor.h"

namespace jettison::cgroup_v2 {

// The controllers that the agent hands down to the groups it makes.
inline constexpr std::array<std::string_view, 3> kControllers = {"memory", "cpu", "pids"};

// Whether the text of cgroup.controllers or cgroup.subtree_control, names separated by blanks,
// contains this controller.
[[nodiscard]] bool HasController(std::string_view text, std::string_view controller);

// Where the unified hierarchy is mounted; absent where it is not. A mount of its root wins over a
// mount of one of its groups, then the earlier over the later.
[[nodiscard]] std::optional<std::string> FindUnified(const std::vector<kernel::Mount>& mounts);

// The controllers that this hierarchy has, as in its root's cgroup.controllers. A host may have
// mounted some of them as cgroup v1; those are not here.
[[nodiscard]] Result<std::string> ControllersAt(const std::string& mount_point);

// The unified hierarchy held open at its top and at the node's group. Immutable once opened.
class Tree {
 public:
  // Enters the node's group (path from the top, "" for the top itself), which must exist, and has
  // memory counted for it where the groups above can give it that. kUnavailable where the hierarchy
  // is not mounted. One without a memory controller is entered all the same.
  [[nodiscard]] static Result<Tree> Open(const std::vector<kernel::Mount>& mounts,
                                         std::string_view node_group);

  [[nodiscard]] int top() const { return top_.get(); }
  [[nodiscard]] int node() const { return node_.get(); }
  // From the top; empty: the top itself.
  [[nodiscard]] const std::string& node_group() const { return node_group_; }
  // Whether the top is the root of all groups, which has no memory.current, no limits and no
  // pids.current. That of a mount in a cgroup namespace looks like one and is not.
  [[nodiscard]] bool TopIsRoot() const { return top_is_root_; }
  [[nodiscard]] bool NodeIsRoot() const { return top_is_root_ && node_group_.empty(); }

 private:
  FileDescriptor top_;
  FileDescriptor node_;
  std::string node_group_;
  bool top_is_root_ = false;
};

// Has a group give the controllers that it has to the groups below it. kUnavailable where it cannot
// give memory, because it has processes of its own.
[[nodiscard]] Result<void> HandControllersDown(int group);

}  // namespace jettison::cgroup_v2
