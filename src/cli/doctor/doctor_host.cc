#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/machine.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal/text_line.h"
#include "core/evaluate/evaluate.h"
#include "core/model/fault.h"
#include "core/model/pressure.h"
#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/procfs/parse.h"
#include "kernel/procfs/procfs.h"
#include "kernel/psi/pressure.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "machine/loop/own_process.h"
#include "machine/loop/steady_clock.h"

namespace jettison {
namespace {

// A group for trying things out, gone at the end.
class TrialGroup {
 public:
  explicit TrialGroup(Cgroups& cgroups)
      : cgroups_(cgroups), made_(cgroups.Create(name_, CgroupLimits{})) {}
  TrialGroup(const TrialGroup&) = delete;
  TrialGroup& operator=(const TrialGroup&) = delete;
  ~TrialGroup() { (void)cgroups_.Remove(name_); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Result<void>& made() const { return made_; }

 private:
  Cgroups& cgroups_;
  const std::string name_ = fmt::format("jettison-doctor-{}", ::getpid());
  Result<void> made_;
};

// The host's groups where they are of v1; null: they are of v2.
const CgroupV1* V1Of(const Cgroups& groups) {
  return dynamic_cast<const CgroupV1*>(&groups);
}

// `lack`: its cost, and how bad that is.
HostCheck CheckController(const Cgroups& groups, cgroup_v1::Controller controller, HostCheck lack) {
  const std::string name(NameOf(controller));
  const auto* const v1 = V1Of(groups);
  const std::string version(NameOf(v1 != nullptr ? CgroupVersion::kV1 : CgroupVersion::kV2));
  lack.check = name + " controller";
  if (v1 != nullptr ? v1->Has(controller) : dynamic_cast<const CgroupV2&>(groups).Has(name)) {
    return OkCheck(lack.check, version);
  }
  lack.found = "not among the controllers of " + version;
  lack.remedy = v1 != nullptr
                    ? fmt::format("mount -t cgroup -o {0} cgroup /sys/fs/cgroup/{0}", name)
                    : "boot without a cgroup v1 hierarchy that has this controller, and without "
                      "cgroup_disable=" +
                          name;
  return lack;
}

HostCheck CheckNodeGroup(Cgroups& cgroups, const std::string& node_cgroup) {
  const std::string_view path =
      std::string_view(node_cgroup).substr(node_cgroup.starts_with('/') ? 1 : 0);
  const auto limit = cgroups.ReadMemoryLimit(path);
  if (path.empty() && !(limit && *limit)) return OkCheck("node cgroup", "/, the whole machine");
  if (const auto opened = cgroups.OpenMemoryDirectory(path); !opened) {
    return Missing(
        "node cgroup", opened.error().message, "the agent does not start",
        "create this cgroup in the hierarchy of the memory controller, or correct nodeCgroup");
  }
  if (limit && *limit) {
    return OkCheck("node cgroup",
                   fmt::format("/{}, with a memory limit of {} bytes", path, **limit));
  }
  return OkCheck("node cgroup", node_cgroup + ", without a memory limit");
}

HostCheck CheckKillFile(Cgroups& groups, const std::string& group) {
  const auto* const v1 = V1Of(groups);
  if (dynamic_cast<const kernel::KernelGroups&>(groups).HasKillFile(group)) {
    return OkCheck("cgroup.kill", "in the unified hierarchy");
  }
  const bool unified = v1 == nullptr || v1->Has(cgroup_v1::Controller::kUnified);
  return Degraded(
      "cgroup.kill", unified ? "the unified hierarchy lacks it" : "no unified hierarchy",
      "pods are killed by signals to each process, which are repeated until no process is left; "
      "without a unified hierarchy, no pod is evicted for I/O pressure",
      unified ? "Linux 5.14 or later"
              : "mount -t cgroup2 none /sys/fs/cgroup/unified (Linux 5.14 or later)");
}

// Where the kubelet has its pods: "/kubepods.slice". The agent makes no groups beside a kubelet,
// and may not be allowed to.
Result<std::string> SeeKubeletGroup(const AgentConfig& config) {
  const SteadyClock clock;
  const Log nobody(LogFormat::kText, clock, [](std::string_view) {});
  const auto seen = WithDriverInUse(config, nobody);
  if (!seen) return Fail(seen.error());
  return fmt::format("{}/{}", PodsRootOf(*seen), kernel::PodsGroup(GroupNamesOf(*seen)));
}

Result<std::string> TryToTrigger() {
  const psi::Stalls wanted = {.kind = StallKind::kSome,
                              .stall = std::chrono::milliseconds(50),
                              .window = std::chrono::milliseconds(500)};
  const auto trigger = psi::PressureTrigger::Open("/proc/pressure/memory", wanted);
  if (!trigger) return Fail(trigger.error());
  if (trigger->granted() == wanted) return "with windows up to 10 s";
  return Fail(ErrorCode::kPermissionDenied, "only with windows that are multiples of 2 s");
}

std::vector<HostCheck> CgroupChecks(const AgentConfig& config) {
  using cgroup_v1::Controller;
  const auto opened = OpenHostCgroups({});
  if (!opened) {
    return {Missing("memory controller", "neither cgroup v1 nor cgroup v2 is mounted with it",
                    "the agent does not start", opened.error().message)};
  }
  Cgroups& groups = **opened;
  const bool is_v1 = V1Of(groups) != nullptr;
  const std::string version(NameOf(is_v1 ? CgroupVersion::kV1 : CgroupVersion::kV2));
  const std::string why = WhyNoMemory();
  std::vector<HostCheck> checks = {
      why.empty() ? OkCheck("memory controller", version)
                  : Missing("memory controller", "not among the controllers of " + version,
                            "no pod is evicted for memory; disks and process ids are guarded", why),
      CheckController(
          groups, Controller::kCpu,
          MissingToStartPods(
              config, Missing("", "", "pods cannot be given CPU shares and do not start", ""))),
      CheckController(groups, Controller::kPids,
                      Missing("", "", "processes of a pod are neither counted nor limited", ""))};
  if (is_v1) {  // v2 freezes without a controller
    checks.push_back(
        CheckController(groups, Controller::kFreezer,
                        Degraded("", "", "a fork bomb cannot be frozen while it is killed", "")));
  }
  checks.push_back(CheckNodeGroup(groups, config.node_cgroup));
  if (config.source == SourceKind::kKubernetes) {
    const auto seen = SeeKubeletGroup(config);
    checks.push_back(
        CheckOf(seen.map([](const std::string& group) { return "in " + group; }),
                Missing("kubelet's pods", "", "the agent does not start",
                        "see that the kubelet runs on this host, and that the agent's container "
                        "has the host's /sys/fs/cgroup and process ids")));
    if (seen) checks.push_back(CheckKillFile(groups, seen->substr(1)));
    return checks;
  }
  const TrialGroup trial(groups);
  checks.push_back(CheckOf(trial.made().map([] { return std::string("in every hierarchy"); }),
                           Missing("making groups", "", "no pod can be run or measured",
                                   "run as root, with the hierarchies mounted read-write")));
  if (trial.made()) checks.push_back(CheckKillFile(groups, trial.name()));
  return checks;
}

HostCheck CheckSwap(const AgentConfig& config, const procfs::MachineMemory& memory) {
  const std::uint64_t total = memory.swap_total.value_or(0);
  const auto& thresholds = config.eviction.thresholds;
  const bool watched =
      std::ranges::find(thresholds, Signal::kSwapAvailable, &Threshold::signal) != thresholds.end();
  if (total == 0 && watched) {
    return Degraded(
        "swap", "off", "thresholds on swap.available have no effect",
        "turn swap on (swapon), or remove swapHard and swapSoft from the configuration");
  }
  if (total == 0) return OkCheck("swap", "off");
  const std::uint64_t free = std::min(memory.swap_free.value_or(0), total);
  return Degraded("swap", fmt::format("{} of {} in use", BytesText(total - free), BytesText(total)),
                  "memory that is swapped out does not count as used: the node slows down before "
                  "memory.available falls",
                  watched ? "none: swap.available is watched"
                          : "swapoff -a, and remove it from /etc/fstab; or set swapHard");
}

HostCheck ThresholdsDoNotFit(const AgentConfig& config, const Faults& unfit) {
  constexpr const char* kRemedy = "set values that fit the capacity of this node";
  return config.source == SourceKind::kKubernetes
             ? Degraded("thresholds", DescribeAll(unfit),
                        "only the kubelet evicts for these signals", kRemedy)
             : Missing("thresholds", DescribeAll(unfit), "the agent evicts every pod that it may",
                       kRemedy);
}

void AppendProcChecks(const AgentConfig& config, std::vector<HostCheck>& checks) {
  const auto procfs = Procfs::Open();
  if (!procfs) {
    checks.push_back(Missing("proc", procfs.error().message,
                             "neither memory capacity nor process ids are known",
                             "mount -t proc proc /proc"));
    return;
  }
  if (const auto memory = procfs->ReadMemory(); !memory) {
    checks.push_back(
        Missing("memory", memory.error().message, "the node's capacity is unknown", "mount proc"));
  } else {
    checks.push_back(
        OkCheck("memory", fmt::format("{}, of which {} are huge pages", BytesText(memory->total),
                                      BytesText(memory->huge_pages))));
    const Faults unfit = CheckAlwaysMet(config.eviction.thresholds, CapacitiesOfThisHost(config));
    if (!unfit.empty()) checks.push_back(ThresholdsDoNotFit(config, unfit));
    checks.push_back(CheckSwap(config, *memory));
  }
  checks.push_back(CheckOf(procfs->ReadRlimit().map([](const auto& pids) {
    return fmt::format("{} tasks of at most {}", *pids.running, *pids.max_pid);
  }),
                           Missing("process ids", "", "pid.available is unknown", "mount proc")));
}

std::vector<HostCheck> PressureChecks() {
  const auto memory = psi::PressureFiles::OfMachine().Read("", psi::PressureResource::kMemory);
  std::vector<HostCheck> checks = {
      CheckOf(memory.map([](const auto&) { return std::string("on, of memory and I/O"); }),
              Degraded("pressure stall information", "",
                       "thresholds on pressure are never met, and stalls do not wake the agent",
                       "boot a kernel with CONFIG_PSI, with psi=1"))};
  if (!memory) return checks;
  checks.push_back(CheckOf(TryToTrigger(),
                           Degraded("pressure triggers", "",
                                    "the kernel reports stalls up to 2 s late, or not at all; the "
                                    "agent also reads pressure at fixed intervals",
                                    "give the agent CAP_SYS_RESOURCE")));
  return checks;
}

}  // namespace

HostCheck KernelCheck(const AgentConfig& config, bool has_mount_calls) {
  utsname name{};
  const std::string release =
      ::uname(&name) != 0 ? "unknown"
                          : fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  if (has_mount_calls) return OkCheck("kernel", release);
  return MissingToStartPods(
      config, Missing("kernel", release + ", without mount_setattr(2)",
                      "the volumes of a pod cannot be removed safely, so no pod is started",
                      "use Linux 5.12 or later"));
}

SignalCapacities CapacitiesOfThisHost(const AgentConfig& config) {
  SignalCapacities capacities;
  const auto set = [&](Signal signal, const auto& capacity) {
    if (capacity) capacities[IndexOf(signal)] = static_cast<std::int64_t>(*capacity);
  };
  if (const auto procfs = Procfs::Open()) {
    const auto memory = procfs->ReadMemory();
    if (memory) set(Signal::kMemoryAvailable, std::optional(memory->WithoutHugePages()));
    if (const auto pids = procfs->ReadRlimit()) set(Signal::kPidAvailable, pids->max_pid);
  }
  // A file system that may never answer is not asked.
  const Place place = NearestExisting(NodeFsOf(config));
  if (!place.answers_by_itself) return capacities;
  if (const auto disk = ReadFilesystem(place.path)) {
    set(Signal::kNodeFsAvailable, disk->capacity_bytes);
    set(Signal::kNodeFsInodesFree, disk->inodes);
  }
  return capacities;
}

std::vector<HostCheck> HostChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks = {
      KernelCheck(config, kernel::HasMountCalls()),
      ::geteuid() == 0
          ? OkCheck("privileges", "root")
          : Missing("privileges", fmt::format("user {}", ::geteuid()),
                    "no cgroup can be created, and no pod can be run or evicted", "run as root")};
  std::ranges::move(CgroupChecks(config), std::back_inserter(checks));
  std::ranges::move(PressureChecks(), std::back_inserter(checks));
  AppendProcChecks(config, checks);
  checks.push_back(FilesystemCheck("nodefs", NodeFsOf(config)));
  checks.push_back(DiskChangesCheck(config.root));
  checks.push_back(CheckOf(
      MayLockOwnMemory().map([] { return std::string("the agent can lock its memory"); }),
      Degraded("memory lock", "",
               "when memory is short, the kernel drops the agent's code, which must then be read "
               "from the disk before a pod can be killed",
               "give the agent CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its unit")));
  return checks;
}

}  // namespace jettison
