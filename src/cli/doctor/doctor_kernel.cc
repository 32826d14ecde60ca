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

// What is asked of either version, and of one alone.
struct OpenedGroups {
  CgroupVersion version = CgroupVersion::kV1;
  std::unique_ptr<Cgroups> groups;
  std::unique_ptr<CgroupV1> v1;  // null where it is v2
  std::unique_ptr<CgroupV2> v2;  // null where it is v1

  [[nodiscard]] bool Has(cgroup_v1::Controller controller) const {
    return v1 ? v1->Has(controller) : v2->Has(cgroup_v1::NameOf(controller));
  }
  [[nodiscard]] bool HasKillFile(std::string_view group) const {
    return v1 ? v1->HasKillFile(group) : v2->HasKillFile(group);
  }
};

Result<OpenedGroups> OpenGroups() {
  OpenedGroups opened;
  const auto version = MountedCgroups();
  if (!version) return Fail(version.error());
  opened.version = *version;
  auto groups = OpenHostCgroups({});
  if (!groups) return Fail(groups.error());
  opened.groups = std::move(*groups);
  if (*version == CgroupVersion::kV1) {
    auto v1 = CgroupV1::Open({});
    if (!v1) return Fail(v1.error());
    opened.v1 = std::move(*v1);
  } else {
    auto v2 = CgroupV2::Open({});
    if (!v2) return Fail(v2.error());
    opened.v2 = std::move(*v2);
  }
  return opened;
}

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

// `lack`: its cost, and how bad that is.
HostCheck CheckController(const OpenedGroups& opened, cgroup_v1::Controller controller,
                          HostCheck lack) {
  const std::string name(NameOf(controller));
  const std::string version(NameOf(opened.version));
  lack.check = name + " controller";
  if (opened.Has(controller)) return OkCheck(lack.check, version);
  lack.found = "not among the controllers of " + version;
  lack.remedy = opened.v1 ? fmt::format("mount -t cgroup -o {0} cgroup /sys/fs/cgroup/{0}", name)
                          : "boot without a cgroup v1 hierarchy that has this controller, and "
                            "without cgroup_disable=" +
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

HostCheck CheckNotification(const OpenedGroups& opened, const std::string& group) {
  constexpr const char* kName = "memory notification";
  if (opened.v2) {
    return OkCheck(kName,
                   "cgroup v2 has no usable one; memory is read more often near a threshold");
  }
  return CheckOf(TryToRegister(*opened.groups, group),
                 Degraded(kName, "",
                          "memory pressure is noticed only at the next reading, later than the "
                          "kernel would report it",
                          "a kernel with cgroup v1 memory thresholds (CONFIG_MEMCG_V1)"));
}

HostCheck CheckKill(const OpenedGroups& opened, const std::string& group) {
  if (opened.HasKillFile(group)) return OkCheck("cgroup.kill", "in the unified hierarchy");
  const bool unified = opened.v2 || opened.v1->Has(cgroup_v1::Controller::kUnified);
  return Degraded(
      "cgroup.kill", unified ? "the unified hierarchy lacks it" : "no unified hierarchy",
      "pods are killed by signals to each process, which are repeated until no process is left",
      unified ? "Linux 5.14 or later"
              : "mount -t cgroup2 none /sys/fs/cgroup/unified (Linux 5.14 or later)");
}

HostCheck CheckSwapAccounting(const OpenedGroups& opened, const std::string& group) {
  const auto memory = opened.groups->ReadMemory(group);
  if (memory && memory->swap) return OkCheck("swap accounting", "per group");
  return Degraded(
      "swap accounting", memory ? "cgroups do not report the use of swap" : memory.error().message,
      "the swap usage of pods is unknown", "boot a kernel with CONFIG_SWAP, with swapaccount=1");
}

// What is tried on a group that is there.
void AddFeatures(const OpenedGroups& opened, const std::string& group,
                 std::vector<HostCheck>& checks) {
  checks.push_back(CheckNotification(opened, group));
  checks.push_back(CheckKill(opened, group));
  checks.push_back(CheckSwapAccounting(opened, group));
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

using psi::PressureFiles;
using psi::PressureResource;
using psi::PressureTrigger;

HostCheck CheckFigures(const Result<psi::Pressure>& memory) {
  return CheckOf(
      memory.map([](const psi::Pressure&) { return std::string("on, of memory and I/O"); }),
      Degraded("pressure stall information", "",
               "thresholds on pressure are never met, and stalls do not wake the agent",
               "boot a kernel with CONFIG_PSI, with psi=1"));
}

// Pods are compared by their own figures, and so is a node that is a group.
HostCheck CheckGroups() {
  constexpr const char* kName = "pressure of groups";
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") != std::string::npos) {
      return OkCheck(kName, "in the unified hierarchy");
    }
  }
  return Degraded(kName, "no unified hierarchy is mounted",
                  "no pod is evicted for I/O pressure, and the pressure of nodeCgroup is unknown",
                  "mount -t cgroup2 none /sys/fs/cgroup/unified");
}

HostCheck CheckTriggers() {
  const psi::Stalls wanted = {.kind = StallKind::kSome,
                              .stall = std::chrono::milliseconds(50),
                              .window = std::chrono::milliseconds(500)};
  const auto trigger = PressureTrigger::Open("/proc/pressure/memory", wanted);
  const auto granted =
      trigger && trigger->granted() != wanted
          ? Result<std::string>(
                Fail(ErrorCode::kPermissionDenied, "only with windows that are multiples of 2 s"))
          : trigger.map([](const auto&) { return std::string("with windows up to 10 s"); });
  return CheckOf(granted,
                 Degraded("pressure triggers", "",
                          "the kernel reports stalls up to 2 s late, or not at all; the agent also "
                          "reads pressure at fixed intervals",
                          "give the agent CAP_SYS_RESOURCE"));
}

std::string KernelRelease() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

HostCheck CheckPrivileges() {
  if (::geteuid() == 0) return OkCheck("privileges", "root");
  return Missing("privileges", fmt::format("user {}", ::geteuid()),
                 "no cgroup can be created, and no pod can be run or evicted", "run as root");
}

std::vector<HostCheck> CgroupChecks(const AgentConfig& config) {
  using cgroup_v1::Controller;
  const auto opened = OpenGroups();
  if (!opened) {
    return {Missing("memory controller", "neither cgroup v1 nor cgroup v2 is mounted with it",
                    "the agent does not start", opened.error().message)};
  }
  std::vector<HostCheck> checks;
  if (const std::string why = WhyNoMemory(); !why.empty()) {
    checks.push_back(
        Missing("memory controller",
                fmt::format("not among the controllers of {}", NameOf(opened->version)),
                "no pod is evicted for memory; disks and process ids are guarded", why));
  } else {
    checks.push_back(OkCheck("memory controller", std::string(NameOf(opened->version))));
  }
  checks.push_back(CheckController(
      *opened, Controller::kCpu,
      MissingToStartPods(config,
                         Missing("", "", "pods cannot be given CPU shares and do not start", ""))));
  checks.push_back(
      CheckController(*opened, Controller::kPids,
                      Missing("", "", "processes of a pod are neither counted nor limited", "")));
  if (opened->v1) {  // v2 freezes without a controller
    checks.push_back(
        CheckController(*opened, Controller::kFreezer,
                        Degraded("", "", "a fork bomb cannot be frozen while it is killed", "")));
  }
  checks.push_back(CheckNodeGroup(*opened->groups, config.node_cgroup));
  if (config.source == SourceKind::kKubernetes) {
    const auto seen = SeeKubeletGroup(config);
    checks.push_back(
        CheckOf(seen.map([](const std::string& group) { return "in " + group; }),
                Missing("kubelet's pods", "", "the agent does not start",
                        "see that the kubelet runs on this host, and that the agent's container "
                        "has the host's /sys/fs/cgroup and process ids")));
    if (seen) AddFeatures(*opened, seen->substr(1), checks);
    return checks;
  }
  const TrialGroup trial(*opened->groups);
  checks.push_back(CheckOf(trial.made().map([] { return std::string("in every hierarchy"); }),
                           Missing("making groups", "", "no pod can be run or measured",
                                   "run as root, with the hierarchies mounted read-write")));
  if (trial.made()) AddFeatures(*opened, trial.name(), checks);
  return checks;
}

}  // namespace

std::vector<HostCheck> PressureChecks() {
  PressureFiles machine = PressureFiles::OfMachine();
  const auto memory = machine.Read("", PressureResource::kMemory);
  std::vector<HostCheck> checks = {CheckFigures(memory)};
  if (!memory) return checks;
  checks.push_back(CheckGroups());
  checks.push_back(CheckTriggers());
  return checks;
}

HostCheck KernelCheck(const AgentConfig& config, bool has_mount_calls) {
  if (has_mount_calls) return OkCheck("kernel", KernelRelease());
  return MissingToStartPods(
      config, Missing("kernel", fmt::format("{}, without mount_setattr(2)", KernelRelease()),
                      "the volumes of a pod cannot be removed safely, so no pod is started",
                      "use Linux 5.12 or later"));
}

std::vector<HostCheck> KernelChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  checks.push_back(KernelCheck(config, kernel::HasMountCalls()));
  checks.push_back(CheckPrivileges());
  for (HostCheck& check : CgroupChecks(config)) checks.push_back(std::move(check));
  for (HostCheck& check : PressureChecks()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace jettison
