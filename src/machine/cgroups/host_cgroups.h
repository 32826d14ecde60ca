#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/cgroups.h"

namespace jettison {

enum class CgroupVersion : std::uint8_t { kV1, kV2 };
// "cgroup v1", "cgroup v2".
[[nodiscard]] std::string_view NameOf(CgroupVersion version);

// Which version accounts memory on this host, by what is mounted: v1 where a hierarchy of v1 holds
// the memory controller, whatever else is mounted beside it (a hybrid host); else v2. A controller
// is in one hierarchy only, so never both. Where the agent itself lives plays no part.
// `mountinfo_file`: as in proc(5).
[[nodiscard]] Result<CgroupVersion> MountedCgroups(
    const std::string& mountinfo_file = "/proc/self/mountinfo");

// Why no memory is accounted on this host, and what to do; empty: it is. Disks and process ids can
// be guarded all the same where the unified hierarchy is mounted.
[[nodiscard]] std::string WhyNoMemory(const std::string& mountinfo_file = "/proc/self/mountinfo");

struct HostCgroupsOptions {
  // The node's group, from the root of each hierarchy; "" or "/" for the root.
  std::string node_cgroup;
  // How long Remove waits for killed processes to be gone.
  std::chrono::milliseconds remove_patience{1000};
  std::string mountinfo_file = "/proc/self/mountinfo";
};

// This host's control groups, of the version that accounts memory; where none does, of v2.
// kUnavailable where that is not mounted; kNotFound where the node's group does not exist.
[[nodiscard]] Result<std::unique_ptr<Cgroups>> OpenHostCgroups(const HostCgroupsOptions& options);

// How the groups of pods are named. The agent's own are named by `cgroupDriver` alone. A kubelet's
// slices have `cgroupRoot` in their names, too.
[[nodiscard]] kernel::GroupNames GroupNamesOf(const AgentConfig& config);

// Where they are: the group below which the group of all pods is, from the node's own ("" or
// "/a/b").
[[nodiscard]] std::string RootBelowNode(const AgentConfig& config);
// And from the root of each hierarchy.
[[nodiscard]] std::string PodsRootOf(const AgentConfig& config);

}  // namespace jettison
