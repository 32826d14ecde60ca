#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "agent/machine.h"
#include "cli/doctor/doctor.h"
#include "core/model/pressure.h"
#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/memcg_events/memcg_threshold.h"
#include "kernel/psi/pressure.h"
#include "machine/cgroups/guarded_groups.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
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

Result<std::string> TryToRegister(const Cgroups& cgroups, const std::string& group) {
  const auto directory = cgroups.OpenMemoryDirectory(group);
  if (!directory) return Fail(directory.error());
  constexpr std::uint64_t kLevel = std::uint64_t{1} << 30;
  return MemcgThreshold::Register(directory->get(), kLevel).map([](const MemcgThreshold&) {
    return std::string("can be registered");
  });
}

// What is tried on a group that is there.
void AddFeatures(Cgroups& groups, const std::string& group, std::vector<HostCheck>& checks) {
  const auto* const v1 = V1Of(groups);
  checks.push_back(CheckOf(
      v1 != nullptr ? TryToRegister(groups, group)
                    : "cgroup v2 has no usable one; memory is read more often near a threshold",
      Degraded("memory notification", "",
               "memory pressure is noticed only at the next reading, later than the kernel would "
               "report it",
               "a kernel with cgroup v1 memory thresholds (CONFIG_MEMCG_V1)")));
  const bool unified = v1 == nullptr || v1->Has(cgroup_v1::Controller::kUnified);
  const HostCheck by_signals = Degraded(
      "cgroup.kill", unified ? "the unified hierarchy lacks it" : "no unified hierarchy",
      "pods are killed by signals to each process, which are repeated until no process is left",
      unified ? "Linux 5.14 or later"
              : "mount -t cgroup2 none /sys/fs/cgroup/unified (Linux 5.14 or later)");
  checks.push_back(dynamic_cast<const kernel::KernelGroups&>(groups).HasKillFile(group)
                       ? OkCheck("cgroup.kill", "in the unified hierarchy")
                       : by_signals);
  const auto memory = groups.ReadMemory(group);
  checks.push_back(
      memory && memory->swap
          ? OkCheck("swap accounting", "per group")
          : Degraded("swap accounting",
                     memory ? "cgroups do not report the use of swap" : memory.error().message,
                     "the swap usage of pods is unknown",
                     "boot a kernel with CONFIG_SWAP, with swapaccount=1"));
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

// Pods are compared by their own figures, and so is a node that is a group.
Result<std::string> SeeUnifiedHierarchy() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") != std::string::npos) return "in the unified hierarchy";
  }
  return Fail(ErrorCode::kNotFound, "no unified hierarchy is mounted");
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
    if (seen) AddFeatures(groups, seen->substr(1), checks);
    return checks;
  }
  const TrialGroup trial(groups);
  checks.push_back(CheckOf(trial.made().map([] { return std::string("in every hierarchy"); }),
                           Missing("making groups", "", "no pod can be run or measured",
                                   "run as root, with the hierarchies mounted read-write")));
  if (trial.made()) AddFeatures(groups, trial.name(), checks);
  return checks;
}

}  // namespace

std::vector<HostCheck> PressureChecks() {
  const auto memory = psi::PressureFiles::OfMachine().Read("", psi::PressureResource::kMemory);
  std::vector<HostCheck> checks = {
      CheckOf(memory.map([](const auto&) { return std::string("on, of memory and I/O"); }),
              Degraded("pressure stall information", "",
                       "thresholds on pressure are never met, and stalls do not wake the agent",
                       "boot a kernel with CONFIG_PSI, with psi=1"))};
  if (!memory) return checks;
  checks.push_back(CheckOf(
      SeeUnifiedHierarchy(),
      Degraded("pressure of groups", "",
               "no pod is evicted for I/O pressure, and the pressure of nodeCgroup is unknown",
               "mount -t cgroup2 none /sys/fs/cgroup/unified")));
  checks.push_back(CheckOf(TryToTrigger(),
                           Degraded("pressure triggers", "",
                                    "the kernel reports stalls up to 2 s late, or not at all; the "
                                    "agent also reads pressure at fixed intervals",
                                    "give the agent CAP_SYS_RESOURCE")));
  return checks;
}

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

std::vector<HostCheck> KernelChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks = {
      KernelCheck(config, kernel::HasMountCalls()),
      ::geteuid() == 0
          ? OkCheck("privileges", "root")
          : Missing("privileges", fmt::format("user {}", ::geteuid()),
                    "no cgroup can be created, and no pod can be run or evicted", "run as root")};
  for (HostCheck& check : CgroupChecks(config)) checks.push_back(std::move(check));
  for (HostCheck& check : PressureChecks()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace jettison
