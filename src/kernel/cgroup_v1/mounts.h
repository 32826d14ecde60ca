#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/mounts/mount_info.h"

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
class MountPoints {
 public:
  [[nodiscard]] const std::optional<std::string>& operator[](Controller controller) const {
    return points_[static_cast<std::size_t>(controller)];
  }
  std::optional<std::string>& operator[](Controller controller) {
    return points_[static_cast<std::size_t>(controller)];
  }
  // The roots of v1 hierarchies that carry none of the controllers above (cpuset, blkio,
  // name=systemd, ...): the agent makes no groups there, but container runtimes do.
  std::vector<std::string> others;

 private:
  std::array<std::optional<std::string>, kControllers.size()> points_;
};

// Finds the hierarchies among the mounts. A mount of a hierarchy's root wins over a mount of one of
// its groups, then the earlier over the later.
[[nodiscard]] MountPoints FindHierarchies(const std::vector<kernel::Mount>& mounts);

}  // namespace jettison::cgroup_v1
