#include "machine/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "kernel/groups/fd_reserve.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/pods_group_lock.h"
#include "machine/cgroups/pods_root.h"
#include "machine/cluster.h"
#include "machine/own_process/memory_lock.h"
#include "machine/own_process/own_disk_thread.h"
#include "machine/runtimes.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

std::string WithoutLeadingSlash(const std::string& path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

Result<std::unique_ptr<Cgroups>> OpenGroups(const std::string& group) {
  // Nothing on this thread may wait; the runtime tries a busy group again by itself.
  auto groups = OpenHostCgroups(
      {.node_cgroup = WithoutLeadingSlash(group), .remove_patience = std::chrono::milliseconds(0)});
  if (groups) return groups;
  Error error = groups.error();
  if (error.code == ErrorCode::kNotFound) error.message += ", and give it its memory limit";
  return Fail(error.In("control groups of the node"));
}

// Where `cgroupRoot` puts the pods elsewhere.
Result<void> OpenGroupsOfRoot(const AgentConfig& config, Machine& machine) {
  if (config.cgroup_root.empty()) return {};
  if (config.source == SourceKind::kManifests) {
    const auto made =
        machine.node_groups->Create(WithoutLeadingSlash(config.cgroup_root), CgroupLimits{});
    if (!made) return Fail(made.error().In("cgroupRoot " + config.cgroup_root));
  }
  auto below = OpenGroups(PodsRootOf(config));
  if (!below) return Fail(below.error());
  machine.groups_of_root = std::move(*below);
  return {};
}

// Before anything below it is touched.
Result<void> LockGroup(const AgentConfig& config, Machine& machine, const Log& log) {
  const std::string group = kernel::PodsGroup(GroupNamesOf(config));
  auto lock = LockPodsGroup(
      machine.pod_groups(),
      {.path = group, .shown = fmt::format("{}/{}", PodsRootOf(config), group)}, config.root);
  if (!lock) return Fail(lock.error());
  if (!lock->warning.empty()) log.Warn(lock->warning);
  machine.pods_group_lock = std::move(*lock);
  return {};
}

void SetOomScoreAdj(int value, const Log& log) {
  const FileDescriptor file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  const std::string text = fmt::to_string(value);
  if (file && write(file.get(), text.data(), text.size()) > 0) return;
  log.Warn(
      "the agent's own oom_score_adj cannot be set; the OOM killer may end the agent before a pod",
      {{"oomScoreAdj", text},
       {"err", SystemError(errno, "write").message},
       {"mend", "give the agent CAP_SYS_RESOURCE"}});
}

void LockMemory(const Log& log) {
  const auto locked = LockOwnMemory();
  if (locked) return;
  log.Warn(
      "the agent's own memory cannot be locked; when memory is short its code may have to be "
      "read from the disk before a pod can be ended",
      {{"err", locked.error().message},
       {"mend", "give the agent CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its unit"}});
}

void KeepDescriptors(const Log& log) {
  const std::size_t kept = kernel::FdReserve::Fill();
  if (kept == kernel::FdReserve::kSize) return;
  log.Warn(
      "descriptors for ending pods cannot be held in reserve; when the agent has no free "
      "descriptor, it may be unable to kill a pod",
      {{"kept", std::to_string(kept)}, {"mend", "raise LimitNOFILE of the agent's unit"}});
}

CgroupLimits PodsGroupLimits(const AgentConfig& config, const ResourceList& capacity) {
  CgroupLimits limits;
  if (!config.reservation.enforce_pods) return limits;
  const ResourceList allowed = PodsLimit(capacity, config.reservation);
  limits.memory_bytes = static_cast<std::uint64_t>(allowed.at("memory").Value());
  limits.cpu_shares = kernel::CpuShares(allowed.at("cpu").MilliValue());
  return limits;
}

}  // namespace

Result<std::unique_ptr<Machine>> OpenMachine(const AgentConfig& config, StatePlace state,
                                             const Log& log) {
  auto machine = std::make_unique<Machine>();
  machine->state = std::move(state);
  const auto version = MountedCgroups();
  if (!version) return Fail(version.error());
  machine->cgroup_version = *version;
  auto groups = OpenGroups(config.node_cgroup);
  if (!groups) return Fail(groups.error());
  machine->node_groups = std::move(*groups);
  if (const auto opened = OpenGroupsOfRoot(config, *machine); !opened) return Fail(opened.error());
  if (const auto locked = LockGroup(config, *machine, log); !locked) return Fail(locked.error());
  auto procfs = Procfs::Open();
  if (!procfs) return Fail(procfs.error());
  machine->procfs = std::make_unique<Procfs>(std::move(*procfs));
  machine->group_end = std::make_unique<ReleasingGroupEnd>(machine->pod_groups());
  if (config.source == SourceKind::kKubernetes) {
    auto cluster =
        OpenCluster(config, machine->state.FolderOf("cluster-pods"), machine->clock, log);
    if (!cluster) return Fail(cluster.error());
    machine->cluster = std::move(cluster->link);
    machine->compare_access = std::move(cluster->compare_access);
  }
  if (config.source == SourceKind::kManifests || config.kubernetes.collect_images) {
    machine->disk_thread = std::make_shared<OwnDiskThread>();
  }
  auto runtime = OpenRuntime(config, {.pod_groups = machine->pod_groups(),
                                      .group_end = *machine->group_end,
                                      .clock = machine->clock,
                                      .cluster = machine->cluster.get(),
                                      .log = log,
                                      .disk_thread = machine->disk_thread,
                                      .root_fails = machine->state.root_fails});
  if (!runtime) return Fail(runtime.error());
  machine->runtime = std::move(runtime->runtime);
  machine->images = std::move(runtime->images);
  if (config.source == SourceKind::kManifests && !config.static_pod_path.empty()) {
    auto manifests = ManifestDirectory::Open(config.static_pod_path);
    if (!manifests) return Fail(manifests.error());
    machine->manifests = std::make_unique<ManifestReader>(std::move(*manifests), machine->clock);
    if (const auto& thread = machine->manifests->thread(); !thread) {
      log.Warn("manifests are read on the agent's own thread, which waits for the disk",
               {{"err", thread.error().message}});
    }
  }
  return machine;
}

void SetUpNode(const AgentConfig& config, const ResourceList& capacity, Machine& machine,
               const Log& log) {
  SetOomScoreAdj(config.oom_score_adj, log);
  KeepDescriptors(log);
  LockMemory(log);
  machine.limits = std::make_unique<EnforcedLimits>(log);
  if (config.source == SourceKind::kKubernetes) return;  // the kubelet sets the limits
  const NodeReservation& reservation = config.reservation;
  machine.limits->Enforce(machine.pod_groups(), kernel::PodsGroup(GroupNamesOf(config)),
                          PodsGroupLimits(config, capacity), false);
  if (const auto& kube = reservation.kube_enforced) {
    machine.limits->Enforce(*machine.node_groups, kube->group,
                            LimitsOf(*kube, reservation.kube_reserved), true);
  }
  if (const auto& system = reservation.system_enforced) {
    machine.limits->Enforce(*machine.node_groups, system->group,
                            LimitsOf(*system, reservation.system_reserved), true);
  }
}

}  // namespace jettison
