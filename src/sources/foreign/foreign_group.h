#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"
#include "ports/cgroups.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison {

// What the specification of a container (config.json of the Open Container Initiative) says of it.
// What is not there, or is something else, is absent.
struct ContainerSpec {
  std::map<std::string, std::string> annotations;
  std::string cgroups_path;                 // linux.cgroupsPath; empty: the runtime's choice
  std::optional<std::uint64_t> cpu_shares;  // linux.resources.cpu.shares: 1024 a CPU
};
[[nodiscard]] ContainerSpec ReadSpec(std::string_view json);

// The same out of the entry "info" of a verbose ContainerStatus, where containerd and CRI-O put the
// specification as "runtimeSpec".
[[nodiscard]] ContainerSpec ReadSpecInInfo(std::string_view info);

// The control group that a specification declares, by the group in which a process of it is, from
// the root of the hierarchy: a path is the group itself; "slice:prefix:name", for the systemd
// driver, is the scope of that name. Empty where the process is in another one, or none is
// declared.
[[nodiscard]] std::string DeclaredGroup(std::string_view group, std::string_view cgroups_path);

// What CPU shares ask for, in thousandths of a CPU, rounded up; absent for the least that there are
// (2), which the kubelet gives to who asks for nothing. (kubelet: sharesToMilliCPU)
[[nodiscard]] std::optional<std::int64_t> MilliCpuOf(std::uint64_t shares);

// The node's groups, in which foreign containers are looked for.
struct NodeGroups {
  Processes& processes;
  Cgroups& cgroups;
  // The node's own group as an absolute path in the hierarchies, without a slash at its end.
  std::string prefix;
  kernel::GroupNames names = {};
};

// Finds the group of a container by its ID and its first process, and reads its memory limit.
// `cgroups_path`: the group that its specification declares (DeclaredGroup), which must be named
// after its ID; absent: the group is found by the ID in its path, which must then be unique.
//
// kNotFound where the process has ended and nothing runs in the group; kInvalidArgument where the
// group cannot be found or measured, is not the container's alone, or contains this agent; any
// other code where that cannot be read now.
[[nodiscard]] Result<void> TakeGroup(const NodeGroups& node, ForeignContainer& container,
                                     std::optional<std::string> cgroups_path = std::nullopt);

// Whether this agent runs in that group of the node, or below it. kUnavailable where its own group
// cannot be read now: then nobody may take the group for another's.
[[nodiscard]] Result<bool> HoldsThisAgent(const NodeGroups& node, const std::string& group);

}  // namespace jettison
