#include <chrono>
#include <fstream>
#include <string>

#include "cli/doctor/doctor_checks.h"
#include "core/model/pressure.h"
#include "kernel/psi/pressure_files.h"
#include "kernel/psi/pressure_trigger.h"

namespace jettison {
namespace {

using psi::PressureFiles;
using psi::PressureResource;
using psi::PressureTrigger;

constexpr const char* kFile = "/proc/pressure/memory";

HostCheck CheckFigures(const Result<psi::Pressure>& memory) {
  constexpr const char* kName = "pressure stall information";
  if (memory) return OkCheck(kName, "on, of memory and I/O");
  return {.check = kName,
          .status = HostStatus::kDegraded,
          .found = memory.error().message,
          .cost = "thresholds on pressure are never met, and stalls do not wake the agent",
          .remedy = "boot a kernel with CONFIG_PSI, with psi=1"};
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
  return {.check = kName,
          .status = HostStatus::kDegraded,
          .found = "no unified hierarchy is mounted",
          .cost = "no pod is evicted for I/O pressure, and the pressure of nodeCgroup is unknown",
          .remedy = "mount -t cgroup2 none /sys/fs/cgroup/unified"};
}

HostCheck CheckTriggers() {
  constexpr const char* kName = "pressure triggers";
  const psi::Stalls wanted = {.kind = StallKind::kSome,
                              .stall = std::chrono::milliseconds(50),
                              .window = PressureTrigger::kOldWindow};
  const auto trigger = PressureTrigger::Open(kFile, wanted);
  if (trigger && trigger->granted() == wanted) return OkCheck(kName, "with windows up to 10 s");
  return {
      .check = kName,
      .status = HostStatus::kDegraded,
      .found = trigger ? "only with windows that are multiples of 2 s" : trigger.error().message,
      .cost = trigger ? "the kernel reports stalls up to 2 s late; the agent also reads pressure "
                        "at fixed intervals"
                      : "stalls do not wake the agent, which reads pressure at fixed intervals",
      .remedy = "give the agent CAP_SYS_RESOURCE"};
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

}  // namespace jettison
