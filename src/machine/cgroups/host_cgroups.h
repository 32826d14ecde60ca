#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_info.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

class Log;  // machine/log/log.h

enum class CgroupVersion : std::uint8_t { kV1, kV2 };
// "cgroup v1", "cgroup v2".
[[nodiscard]] std::string_view NameOf(CgroupVersion version);

// Which version accounts memory on this host: v1 where a mounted hierarchy of v1 holds the memory
// controller, whatever else is mounted (a hybrid host); else v2. `mountinfo_file`: as in proc(5).
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

// The control groups in which this agent, and no other one, guards the pods.
struct GuardedGroups {
  CgroupVersion version = CgroupVersion::kV1;
  std::shared_ptr<Cgroups> of_node;  // "" is the node
  std::shared_ptr<Cgroups> of_root;  // where cgroupRoot puts the pods elsewhere; else null
  FileDescriptor lock;               // on the group of all pods, held as long as it is open
};

struct PodsGroupName {
  std::string path;   // from the groups' own
  std::string shown;  // as people know it
};

// Creates the group of all pods and locks it, because two agents in one group would end each
// other's pods. The lock is on a file that only root can open; where the kernel has none (cgroup v2
// before Linux 5.14), on the folder. kUnavailable where another process has it.
[[nodiscard]] Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                                   const std::string& root);

// Opens the groups, and takes the lock before anything below the group of all pods is touched.
// `config` is that of WithDriverInUse. kUnavailable where another agent has the lock.
[[nodiscard]] Result<GuardedGroups> OpenGuardedGroups(const AgentConfig& config, const Log& log);

// Whether control groups are seen from within a container: their mounts then begin above the group
// that counts as the root (cgroup_namespaces(7)).
[[nodiscard]] bool AreGroupsSeenFromWithin(const std::vector<kernel::Mount>& mounts);

// In a cgroup namespace of its own, a container sees the groups of other processes as ".." only.
// Makes this thread, and those that it starts from now on, see the groups as the process `host`
// does. kPermissionDenied without CAP_SYS_ADMIN and CAP_SYS_PTRACE.
[[nodiscard]] Result<void> EnterHostCgroupView(
    const std::string& mountinfo_file = "/proc/self/mountinfo",
    const std::string& host = "/proc/1/ns/cgroup");

// The driver by which the kubelet names its groups, told by which group of all pods is there, and
// where both are, by which one has processes: the kubelet may ignore its own `cgroupDriver`
// (KubeletCgroupDriverFromCRI, from 1.31 on). `node_groups`: those of `nodeCgroup`. kNotFound where
// neither group is there; kUnavailable where both may be the kubelet's.
[[nodiscard]] Result<CgroupDriver> DriverInUse(const AgentConfig& config, Cgroups& node_groups,
                                               const Log& log);

// The configuration with that driver, and this thread and its later ones with the host's view of
// control groups; for an agent that is not beside a kubelet, the configuration as it is.
[[nodiscard]] Result<AgentConfig> WithDriverInUse(AgentConfig config, const Log& log);

}  // namespace jettison
