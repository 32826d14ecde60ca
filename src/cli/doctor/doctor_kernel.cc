#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <utility>

#include "cli/doctor/doctor_checks.h"

namespace jettison {
namespace {

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
          .cost = "no cgroup can be created, and no pod can be run or evicted",
          .remedy = "run as root"};
}

}  // namespace

std::vector<HostCheck> KernelChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  checks.push_back(CheckKernel());
  checks.push_back(CheckPrivileges());
  for (HostCheck& check : CgroupChecks(config)) checks.push_back(std::move(check));
  for (HostCheck& check : PressureChecks()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace jettison
