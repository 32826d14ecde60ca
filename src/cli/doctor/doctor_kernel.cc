#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <utility>

#include "agent/open_runtime.h"
#include "cli/doctor/doctor_checks.h"

namespace jettison {
namespace {

std::string KernelRelease() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

HostCheck CheckPrivileges() {
  if (::geteuid() == 0) return OkCheck("privileges", "root");
  return {.check = "privileges",
          .status = HostStatus::kMissing,
          .found = fmt::format("user {}", ::geteuid()),
          .cost = "no cgroup can be created, and no pod can be run or evicted",
          .remedy = "run as root"};
}

}  // namespace

HostCheck KernelCheck(RuntimeKind runtime, const kernel::MountCalls& calls) {
  const std::string missing = kernel::MissingCalls(calls, runtime == RuntimeKind::kProcess);
  if (missing.empty()) return OkCheck("kernel", KernelRelease());
  return {.check = "kernel",
          .status = HostStatus::kMissing,
          .found = fmt::format("{}, without {}", KernelRelease(), missing),
          .cost = "the volumes of a pod cannot be removed safely, so no pod is started",
          .remedy = fmt::format("use Linux {} or later", FirstLinuxFor(runtime)),
          .need = HostNeed::kStartingPods};
}

std::vector<HostCheck> KernelChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  checks.push_back(KernelCheck(config.runtime, kernel::ProbeMountCalls()));
  checks.push_back(CheckPrivileges());
  for (HostCheck& check : CgroupChecks(config)) checks.push_back(std::move(check));
  for (HostCheck& check : PressureChecks()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace jettison
