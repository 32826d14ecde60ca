#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"
#include "ports/file_descriptor.h"

namespace jettison::cgroup_v1 {

// The hierarchies the agent uses. kUnified is the cgroup v2 tree that hybrid hosts mount beside the
// v1 controllers: it brings cgroup.kill and pressure files.
enum class Controller { kMemory, kCpu, kCpuacct, kPids, kFreezer, kUnified };
inline constexpr std::array kControllers = {Controller::kMemory,  Controller::kCpu,
                                            Controller::kCpuacct, Controller::kPids,
                                            Controller::kFreezer, Controller::kUnified};

// The kernel's name of a controller ("memory", "cpu", ...); "unified" for the cgroup v2 tree.
[[nodiscard]] std::string_view NameOf(Controller controller);

// Where each hierarchy is mounted; absent where it is not. Controllers that are mounted together
// ("cpu,cpuacct") have the same mount point.
struct MountPoints {
  [[nodiscard]] const std::optional<std::string>& operator[](Controller controller) const {
    return points[static_cast<std::size_t>(controller)];
  }
  std::array<std::optional<std::string>, kControllers.size()> points;
  // The roots of v1 hierarchies that carry none of the controllers above (cpuset, blkio,
  // name=systemd, ...): the agent makes no groups there, but container runtimes do.
  std::vector<std::string> others;
};

// Finds the hierarchies among the mounts. A mount of a hierarchy's root wins over a mount of one of
// its groups, then the earlier over the later.
[[nodiscard]] MountPoints FindHierarchies(const std::vector<kernel::Mount>& mounts);

// One mounted hierarchy.
struct Hierarchy {
  std::string mount_point;
  std::vector<Controller> controllers;  // those mounted here together; empty: others'
  FileDescriptor directory;             // of the node's group; of others' hierarchies the root
};

// Every hierarchy of the host, each held open. Immutable once opened.
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
  // Memory first, then the agent's, then others'.
  [[nodiscard]] const std::vector<Hierarchy>& all() const { return all_; }
  // From the root of each hierarchy; empty: the root itself.
  [[nodiscard]] const std::string& node_group() const { return node_group_; }

 private:
  std::vector<Hierarchy> all_;
  std::string node_group_;
};

}  // namespace jettison::cgroup_v1
