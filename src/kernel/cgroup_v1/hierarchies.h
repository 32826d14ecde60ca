#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/cgroup_v1/mounts.h"
#include "ports/file_descriptor.h"

namespace jettison::cgroup_v1 {

// One mounted hierarchy, entered at the node's group.
struct Hierarchy {
  std::vector<Controller> controllers;  // those mounted here together
  FileDescriptor node;                  // the directory of the node's group
};

// A hierarchy that the agent does not use, but in which a container runtime makes groups of the
// same paths.
struct ForeignHierarchy {
  std::string mount_point;
  FileDescriptor root;
};

// Every hierarchy the agent uses, each held open at the node's group. Immutable once opened.
class Hierarchies {
 public:
  // Enters the node's group (path from the root of each hierarchy, "" for the root itself). The
  // group must exist in the memory hierarchy; where another lacks it, it is made. kUnavailable
  // where no v1 memory controller is mounted.
  [[nodiscard]] static Result<Hierarchies> Open(const MountPoints& points,
                                                std::string_view node_group);

  // The hierarchy of a controller; null where that controller is not mounted.
  [[nodiscard]] const Hierarchy* Find(Controller controller) const;
  // The node's directory in the hierarchy of a controller; kUnavailable where it is not mounted.
  [[nodiscard]] Result<int> NodeOf(Controller controller) const;
  [[nodiscard]] int memory() const { return memory_; }
  // Memory first.
  [[nodiscard]] const std::vector<Hierarchy>& all() const { return all_; }
  [[nodiscard]] const std::vector<ForeignHierarchy>& foreign() const { return foreign_; }
  // From the root of each hierarchy; empty: the root itself.
  [[nodiscard]] const std::string& node_group() const { return node_group_; }

 private:
  std::vector<Hierarchy> all_;
  std::vector<ForeignHierarchy> foreign_;
  std::string node_group_;
  int memory_ = -1;  // owned by all_
};

// Makes the group and its missing ancestors, below `root`. A group that exists is no error. `made`
// is called with each directory that did not exist.
[[nodiscard]] Result<void> MakeGroups(int root, std::string_view path,
                                      const std::function<Result<void>(int)>& made);

// Makes memory accounting count the groups below. Before Linux 5.11 it is a choice of each group
// (memory.use_hierarchy) with default "no"; later it is always on.
[[nodiscard]] Result<void> CountDescendants(int memory_group);

}  // namespace jettison::cgroup_v1
