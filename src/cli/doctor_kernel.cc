#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "cli/doctor_checks.h"
#include "platform/cgroup_v1/cgroup_v1.h"
#include "platform/memcg_events/memcg_threshold.h"

namespace jettison {
namespace {

using cgroup_v1::Controller;

// A group for trying things out, gone at the end.
class TrialGroup {
 public:
  explicit TrialGroup(CgroupV1& cgroups)
      : cgroups_(cgroups), made_(cgroups.Create(name_, CgroupLimits{})) {}
  TrialGroup(const TrialGroup&) = delete;
  TrialGroup& operator=(const TrialGroup&) = delete;
  ~TrialGroup() { (void)cgroups_.Remove(name_); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Result<void>& made() const { return made_; }

 private:
  CgroupV1& cgroups_;
  const std::string name_ = fmt::format("jettison-doctor-{}", ::getpid());
  Result<void> made_;
};

HostCheck CheckKernel() {
  utsname name{};
  if (::uname(&name) != 0) return OkCheck("kernel", "unknown");
  return OkCheck("kernel", fmt::format("{} {} {}", name.sysname, name.release, name.machine));
}

HostCheck CheckPrivileges() {
  if (::geteuid() == 0) return OkCheck("privileges", "root");
  return {.check = "privileges",
          .status = HostStatus::kMissing,
          .found = fmt::format("user {}", ::geteuid()),
          .cost = "no control group can be made, no pod run or evicted",
          .remedy = "run as root"};
}

HostCheck CheckMemoryController(const Result<std::unique_ptr<CgroupV1>>& cgroups) {
  if (cgroups) return OkCheck("memory controller", "cgroup v1");
  return {.check = "memory controller",
          .status = HostStatus::kMissing,
          .found = "none of cgroup v1",
          .cost = "memory of the node and its pods cannot be read, so none is evicted for it",
          .remedy = cgroups.error().message};
}

HostCheck CheckController(const CgroupV1& cgroups, Controller controller, HostStatus lack,
                          std::string cost) {
  const std::string name(NameOf(controller));
  if (cgroups.Has(controller)) return OkCheck(name + " controller", "cgroup v1");
  return {.check = name + " controller",
          .status = lack,
          .found = "not mounted as cgroup v1",
          .cost = std::move(cost),
          .remedy = fmt::format("mount -t cgroup -o {0} cgroup /sys/fs/cgroup/{0}", name)};
}

HostCheck CheckNodeGroup(CgroupV1& cgroups, const std::string& node_cgroup) {
  const std::string_view path =
      std::string_view(node_cgroup).substr(node_cgroup.starts_with('/') ? 1 : 0);
  if (path.empty()) return OkCheck("node cgroup", "/, the whole machine");
  if (const auto opened = cgroups.OpenMemoryDirectory(path); !opened) {
    return {.check = "node cgroup",
            .status = HostStatus::kMissing,
            .found = opened.error().message,
            .cost = "the agent does not start",
            .remedy = "make the group in the memory hierarchy, or correct nodeCgroup"};
  }
  const auto limit = cgroups.ReadMemoryLimit(path);
  if (limit && *limit)
    return OkCheck("node cgroup", fmt::format("{}, {} bytes", node_cgroup, **limit));
  return OkCheck("node cgroup", node_cgroup + ", without a memory limit");
}

HostCheck CheckTrial(const Result<void>& made) {
  if (made) return OkCheck("making groups", "in every hierarchy");
  return {.check = "making groups",
          .status = HostStatus::kMissing,
          .found = made.error().message,
          .cost = "no pod can be run or measured",
          .remedy = "run as root, with the hierarchies mounted read-write"};
}

Result<std::chrono::milliseconds> TimeRegistration(const CgroupV1& cgroups,
                                                   const std::string& group) {
  const auto directory = cgroups.OpenMemoryDirectory(group);
  if (!directory) return Fail(directory.error());
  constexpr std::uint64_t kLevel = std::uint64_t{1} << 30;
  const auto start = std::chrono::steady_clock::now();
  const auto threshold = MemcgThreshold::Register(directory->get(), kLevel);
  if (!threshold) return Fail(threshold.error());
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start);
}

HostCheck CheckNotification(const CgroupV1& cgroups, const TrialGroup& trial) {
  const auto took = TimeRegistration(cgroups, trial.name());
  if (took) {
    return OkCheck("memory notification", fmt::format("registered one in {} ms", took->count()));
  }
  return {.check = "memory notification",
          .status = HostStatus::kDegraded,
          .found = took.error().message,
          .cost = "memory pressure is only noticed by the regular pass, up to 10 s late",
          .remedy = "a kernel with cgroup v1 memory thresholds (CONFIG_MEMCG_V1)"};
}

HostCheck CheckKill(const CgroupV1& cgroups, const TrialGroup& trial) {
  if (cgroups.HasKillFile(trial.name())) return OkCheck("cgroup.kill", "in the unified hierarchy");
  const bool unified = cgroups.Has(Controller::kUnified);
  return {.check = "cgroup.kill",
          .status = HostStatus::kDegraded,
          .found = unified ? "the unified hierarchy lacks it" : "no unified hierarchy",
          .cost = "pods are ended by signals to each process, repeated until none is left",
          .remedy = unified ? "Linux 5.14 or later"
                            : "mount -t cgroup2 none /sys/fs/cgroup/unified (Linux 5.14 or later)"};
}

void AppendGroupChecks(CgroupV1& cgroups, const AgentConfig& config,
                       std::vector<HostCheck>& checks) {
  checks.push_back(CheckController(cgroups, Controller::kCpu, HostStatus::kMissing,
                                   "pods cannot be given CPU shares and do not start"));
  checks.push_back(CheckController(cgroups, Controller::kPids, HostStatus::kMissing,
                                   "processes of a pod are neither counted nor limited"));
  checks.push_back(CheckController(cgroups, Controller::kFreezer, HostStatus::kDegraded,
                                   "a fork bomb cannot be frozen while it is killed"));
  checks.push_back(CheckNodeGroup(cgroups, config.node_cgroup));
  const TrialGroup trial(cgroups);
  checks.push_back(CheckTrial(trial.made()));
  if (!trial.made()) return;
  checks.push_back(CheckNotification(cgroups, trial));
  checks.push_back(CheckKill(cgroups, trial));
}

}  // namespace

std::vector<HostCheck> KernelChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  checks.push_back(CheckKernel());
  checks.push_back(CheckPrivileges());
  const auto cgroups = CgroupV1::Open({});
  checks.push_back(CheckMemoryController(cgroups));
  if (cgroups) AppendGroupChecks(**cgroups, config, checks);
  for (HostCheck& check : PressureChecks()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace jettison
