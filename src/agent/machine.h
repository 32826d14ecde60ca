#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/cluster/link/cluster_link.h"
#include "agent/manifests/manifest_reader.h"
#include "agent/reclaim/releasing_group_end.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "kernel/procfs/procfs.h"
#include "machine/cgroups/enforced_limits.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "machine/loop/steady_clock.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/disk_thread.h"
#include "ports/file_descriptor.h"
#include "ports/image_store.h"

namespace jettison {

// Whether the kernel has what the removal of the configured pods needs. Fails with kUnavailable
// where it has not, because those pods would never be gone.
[[nodiscard]] Result<void> CanRemovePods(const AgentConfig& config, bool has_mount_calls);

// The ports to this machine, opened. Torn down from the last to the first.
struct Machine {
  SteadyClock clock;
  CgroupVersion cgroup_version = CgroupVersion::kV1;
  std::shared_ptr<Cgroups> node_groups;     // "" is the node
  std::shared_ptr<Cgroups> groups_of_root;  // where cgroupRoot puts the pods elsewhere; else null
  FileDescriptor pods_group_lock;           // held as long as this agent guards the pods' group
  std::unique_ptr<EnforcedLimits> limits;   // on those groups; null before SetUpNode
  std::unique_ptr<ReleasingGroupEnd> group_end;  // how the runtime ends groups of pods
  std::unique_ptr<Procfs> procfs;
  std::unique_ptr<ClusterLink> cluster;  // null: the agent has its pods from nobody else
  // For files of pods; null: they are a kubelet's.
  std::shared_ptr<DiskThread> disk_thread;
  std::unique_ptr<ContainerRuntime> runtime;
  std::unique_ptr<ImageStore> images;         // null: there is none, or it is the kubelet's
  std::unique_ptr<ManifestReader> manifests;  // null: no path is configured

  // Below which the group of all pods stands.
  [[nodiscard]] Cgroups& pod_groups() const { return *shared_pod_groups(); }
  // For a thread that may be left behind.
  [[nodiscard]] const std::shared_ptr<Cgroups>& shared_pod_groups() const {
    return groups_of_root ? groups_of_root : node_groups;
  }
};

// Connects the machine to the cluster that the configuration names. It does not wait: when the API
// server becomes unreachable, or reachable again, a line is logged. The error names every fault of
// the configured address and credentials.
[[nodiscard]] Result<void> OpenCluster(const AgentConfig& config, Machine& machine, const Log& log);

// Opens the runtime that the configuration names, or, where the machine has a cluster, the pods of
// the kubelet, and its images. A container runtime that does not answer is no error here: it is not
// ready (see ContainerRuntime::List). What goes wrong later is logged.
[[nodiscard]] Result<void> OpenRuntime(const AgentConfig& config, Machine& machine, const Log& log);

// Opens everything and takes the lock on the root directory of an agent with pods of its own.
// `config` is that of WithDriverInUse. Errors say what to do.
[[nodiscard]] Result<std::unique_ptr<Machine>> OpenMachine(const AgentConfig& config,
                                                           GuardedGroups groups, const Log& log);

// Prepares the machine for pods: the pods' group with its limits (node allocatable), those of the
// system's groups where they are to be enforced, the agent's own oom_score_adj, and its memory
// locked. What cannot be had is logged and done without.
void SetUpNode(const AgentConfig& config, const ResourceList& capacity, Machine& machine,
               const Log& log);

// Limits the group of all pods to what this capacity leaves them, from now on. Beside a kubelet it
// does nothing, because the kubelet sets that limit.
void LimitPods(const AgentConfig& config, const ResourceList& capacity, Machine& machine);

}  // namespace jettison
