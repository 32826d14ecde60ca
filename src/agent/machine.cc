#include "agent/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "agent/cluster/link/cluster_link.h"
#include "agent/config_in_force.h"
#include "agent/figures/stats_collector.h"
#include "agent/node_agent.h"
#include "agent/plans/pod_plans.h"
#include "core/config/read_config.h"
#include "core/model/fault.h"
#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/processes/processes.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/own_process.h"
#include "machine/pods/pods_of_node.h"
#include "ports/system_error.h"
#include "rpc/client.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/images/image_store.h"
#include "runtimes/process/process_runtime.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison {
namespace {

auto LogOf(const Log& log, const char* runtime) {
  return [&log, runtime](std::string_view message) { log.Warn(runtime, {{"problem", message}}); };
}

PodOptions OptionsOf(const AgentConfig& config, const Machine& machine, const Log& log,
                     const char* about) {
  return {.root = config.root,
          .logs = config.logs.directory,
          .written_pods = std::make_shared<JsonPods>(LimitSettingsOf(config)),
          .cgroup_driver = config.cgroup_driver,
          .log_max_bytes = config.logs.max_size_bytes,
          .log_max_files = config.logs.max_files,
          .disk_thread = machine.disk_thread,
          .log = LogOf(log, about)};
}

Result<void> OpenProcess(const AgentConfig& config, Machine& machine, const Log& log) {
  ProcessRuntimeOptions options{OptionsOf(config, machine, log, "process runtime")};
  auto runtime = OpenProcessRuntime(std::move(options), machine.pod_groups(), *machine.group_end,
                                    machine.clock);
  if (!runtime) return Fail(runtime.error());
  machine.runtime = std::move(*runtime);
  return {};
}

Result<std::unique_ptr<cri::Calls>> ConnectTo(const AgentConfig& config) {
  auto calls = cri::Connect(config.container_runtime_endpoint, CanStartThreads);
  if (!calls) return Fail(calls.error().In("containerRuntimeEndpoint"));
  return calls;
}

Result<void> OpenCri(const AgentConfig& config, Machine& machine, const Log& log) {
  auto calls = ConnectTo(config);
  if (!calls) return Fail(calls.error());
  CriRuntimeOptions options{OptionsOf(config, machine, log, "container runtime")};
  options.cgroup_prefix = config.node_cgroup + config.cgroup_root;
  options.request_timeout = config.runtime_request_timeout;
  cri::Calls& shared = **calls;  // owned by the runtime, which outlives the images
  auto own = OpenCriRuntime(options, std::move(*calls), machine.pod_groups(), *machine.group_end,
                            machine.clock);
  if (!own) return Fail(own.error());
  auto all = WithForeignPods(std::move(*own), {.calls = shared,
                                               .options = options,
                                               .adopt = config.adopt != AdoptPolicy::kNone,
                                               .processes = std::make_unique<HostProcesses>(),
                                               .cgroups = machine.pod_groups(),
                                               .group_end = *machine.group_end,
                                               .clock = machine.clock});
  if (!all) return Fail(all.error());
  machine.runtime = std::move(*all);
  machine.images = std::make_unique<cri::CriImageStore>(shared);
  return {};
}

// Dead containers are the kubelet's, and so are images unless `collectImages` is set.
Result<void> OpenKubelet(const AgentConfig& config, Machine& machine, const Log& log) {
  std::unique_ptr<cri::Calls> calls;
  if (config.kubernetes.collect_images) {
    auto connected = ConnectTo(config);
    if (!connected) return Fail(connected.error());
    calls = std::move(*connected);
    machine.images = std::make_unique<cri::CriImageStore>(*calls);
  }
  auto pods = PodsOfNode::Open(std::make_unique<NoOwnPods>(std::move(calls)),
                               {.processes = std::make_unique<HostProcesses>(),
                                .cgroups = machine.pod_groups(),
                                .group_end = *machine.group_end,
                                .clock = machine.clock,
                                .cgroup_prefix = PodsRootOf(config),
                                .group_names = GroupNamesOf(config),
                                .log = LogOf(log, "kubelet")});
  if (!pods) return Fail(pods.error());
  (*pods)->Add(std::make_unique<kube::KubernetesSource>(
      *machine.cluster, (*pods)->source_dependencies(),
      kube::KubeletPlaces{.directory = config.kubernetes.kubelet_directory,
                          .pod_logs = config.logs.directory,
                          .evict_daemon_sets = config.kubernetes.evict_daemon_sets,
                          .jobs = config.kubernetes.jobs}));
  machine.runtime = std::move(*pods);
  return {};
}

// Only to keep agents from asking all at once.
std::function<double()> Chance() {
  return [engine = std::mt19937(std::random_device()())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

kube::AccessSource::Read AccessReader(const KubernetesConfig& config) {
  return [path = config.kubeconfig] {
    return path.empty() ? kube::AccessByServiceAccount(kube::OwnServiceAccount())
                        : kube::AccessByKubeconfig(path);
  };
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

CgroupLimits PodsGroupLimits(const AgentConfig& config, const ResourceList& capacity) {
  CgroupLimits limits;
  if (!config.reservation.enforce_pods) return limits;
  const ResourceList allowed = NodeAllocatable(capacity, config.reservation, {});
  limits.memory_bytes = static_cast<std::uint64_t>(allowed.at("memory").Value());
  limits.cpu_shares = kernel::CpuShares(allowed.at("cpu").MilliValue());
  return limits;
}

Result<void> CheckIsRoot() {
  if (geteuid() == 0) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "the agent makes control groups and ends processes of others, so it must be root: "
              "run it as a service or with sudo");
}

// The lock on the group of all pods is held already: an agent that is refused because another one
// guards the pods has not touched the state of that one.
Result<void> MakeRoot(const std::string& root) {
  if (const auto made = kernel::MakeFolders(root); !made) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("root directory {} cannot be made: {}; set `root` in "
                            "JettisonConfiguration to a directory that can be written",
                            root, made.error().message));
  }
  return {};
}

// Processors of this machine, this much memory, and the bytes of nodefs where it could be measured.
ResourceList NodeCapacity(std::uint64_t memory_bytes, const std::optional<FsStats>& node_fs) {
  ResourceList capacity;
  capacity["cpu"] = Quantity::Of(::get_nprocs(), QuantityFormat::kDecimalSI);
  capacity["memory"] = Quantity::Of(static_cast<std::int64_t>(memory_bytes));
  if (node_fs && node_fs->capacity_bytes) {
    capacity["ephemeral-storage"] =
        Quantity::Of(static_cast<std::int64_t>(*node_fs->capacity_bytes));
  }
  return capacity;
}

}  // namespace

Result<void> CanRemovePods(const AgentConfig& config, bool has_mount_calls) {
  if (config.static_pod_path.empty() || has_mount_calls) return {};
  return Fail(ErrorCode::kUnavailable,
              "staticPodPath: this kernel has no mount_setattr(2), and the volumes of a pod cannot "
              "be removed safely; use Linux 5.12 or later");
}

Result<void> OpenRuntime(const AgentConfig& config, Machine& machine, const Log& log) {
  if (machine.cluster) return OpenKubelet(config, machine, log);
  if (auto able = CanRemovePods(config, kernel::HasMountCalls()); !able) return able;
  switch (config.runtime) {
    case RuntimeKind::kProcess: return OpenProcess(config, machine, log);
    case RuntimeKind::kCri: return OpenCri(config, machine, log);
  }
  __builtin_unreachable();
}

Result<void> OpenCluster(const AgentConfig& config, Machine& machine, const Log& log) {
  const kube::AccessSource::Read read = AccessReader(config.kubernetes);
  const auto reading = read();
  if (!reading.faults.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the cluster cannot be asked: {}", DescribeAll(reading.faults)));
  }
  auto link = ClusterLink::Open({.access = reading.access,
                                 .node = config.node_name,
                                 .clock = std::make_shared<SteadyClock>(machine.clock),
                                 .chance = Chance(),
                                 .read_access = read,
                                 .log = &log});
  if (!link) return Fail(link.error().In("the cluster cannot be asked"));
  log.Info("the agent reads the pods of this node from the API server",
           {{"server", reading.access.server},
            {"as", reading.access.origin},
            {"node", config.node_name}});
  machine.cluster = std::move(*link);
  return {};
}

Result<std::unique_ptr<Machine>> OpenMachine(const AgentConfig& config, GuardedGroups groups,
                                             const Log& log) {
  auto machine = std::make_unique<Machine>();
  machine->cgroup_version = groups.version;
  machine->node_groups = std::move(groups.of_node);
  machine->groups_of_root = std::move(groups.of_root);
  machine->pods_group_lock = std::move(groups.lock);
  auto procfs = Procfs::Open();
  if (!procfs) return Fail(procfs.error());
  machine->procfs = std::make_unique<Procfs>(std::move(*procfs));
  machine->group_end = std::make_unique<ReleasingGroupEnd>(machine->pod_groups());
  if (config.source == SourceKind::kKubernetes) {
    const auto cluster = OpenCluster(config, *machine, log);
    if (!cluster) return Fail(cluster.error());
  }
  if (config.source == SourceKind::kManifests || config.kubernetes.collect_images) {
    machine->disk_thread = std::make_shared<OwnDiskThread>();
  }
  if (const auto runtime = OpenRuntime(config, *machine, log); !runtime) {
    return Fail(runtime.error());
  }
  if (config.source == SourceKind::kManifests && !config.static_pod_path.empty()) {
    machine->manifests =
        std::make_unique<ManifestReader>(ManifestDirectory(config.static_pod_path), machine->clock);
  }
  return machine;
}

void SetUpNode(const AgentConfig& config, const ResourceList& capacity, Machine& machine,
               const Log& log) {
  SetOomScoreAdj(config.oom_score_adj, log);
  LockMemory(log);
  machine.limits = std::make_unique<EnforcedLimits>(log);
  if (config.source == SourceKind::kKubernetes) return;  // the kubelet sets the limits
  LimitPods(config, capacity, machine);
  const NodeReservation& reservation = config.reservation;
  if (const auto& kube = reservation.kube_enforced) {
    machine.limits->Enforce(*machine.node_groups, kube->group,
                            LimitsOf(*kube, reservation.kube_reserved), true);
  }
  if (const auto& system = reservation.system_enforced) {
    machine.limits->Enforce(*machine.node_groups, system->group,
                            LimitsOf(*system, reservation.system_reserved), true);
  }
}

void LimitPods(const AgentConfig& config, const ResourceList& capacity, Machine& machine) {
  if (config.source == SourceKind::kKubernetes) return;
  machine.limits->Enforce(machine.pod_groups(), kernel::PodsGroup(GroupNamesOf(config)),
                          PodsGroupLimits(config, capacity), false);
}

Result<std::unique_ptr<NodeAgent>> OpenAgent(const AgentConfig& named, AgentOptions options) {
  // The log has a clock of its own, so that errors on the way can be logged.
  static const SteadyClock kLogClock;
  auto log = OpenLog({.format = named.json_logs ? LogFormat::kJson : options.log_format,
                      .least = named.log_level,
                      .dry_run = named.dry_run || options.config.dry_run,
                      .sink = options.log},
                     kLogClock);
  if (const auto is_root = CheckIsRoot(); !is_root) return Fail(is_root.error());
  auto used = WithDriverInUse(named, *log);
  if (!used) return Fail(used.error());
  AgentConfig& config = *used;
  config.dry_run = config.dry_run || options.config.dry_run;
  options.config.named_driver = named.cgroup_driver;
  auto groups = OpenGuardedGroups(config, *log);
  if (!groups) return Fail(groups.error());
  if (const auto root = MakeRoot(config.root); !root) return Fail(root.error());
  auto machine = OpenMachine(config, std::move(*groups), *log);
  if (!machine) return Fail(machine.error());
  StatsCollector figures({.node = *(*machine)->node_groups,
                          .pods = (*machine)->pod_groups(),
                          .procfs = *(*machine)->procfs,
                          .whole_machine = config.node_cgroup.empty(),
                          .node_fs = config.node_fs,
                          .group_names = GroupNamesOf(config)},
                         (*machine)->clock, *log);
  const auto memory = figures.ReadMemoryCapacity();
  if (!memory) return Fail(memory.error().In("memory capacity of the node"));
  SetUpNode(config, NodeCapacity(*memory, std::nullopt), **machine, *log);
  const ResourceList capacity = NodeCapacity(*memory, figures.ReadNode().fs);
  const NodeIdentity node{.config = {},
                          .started_at = (*machine)->clock.Now(),
                          .capacity = capacity,
                          .allocatable = SharedAmong(config, capacity)};
  return std::make_unique<NodeAgent>(config, std::move(options), std::move(log),
                                     std::move(*machine), node);
}

}  // namespace jettison
