#include "agent/steady_clock.h"

#include "pod_host/files.h"

namespace jettison {
namespace {

// Empty where it cannot be read: then no mark of another run is of this boot.
std::string BootId() {
  std::string id = pod_host::ReadFile("/proc/sys/kernel/random/boot_id").value_or("");
  while (id.ends_with('\n')) id.pop_back();
  return id;
}

}  // namespace

SteadyClock::SteadyClock()
    : start_{.boot_id = BootId(),
             .since_boot = Read(CLOCK_BOOTTIME),
             .wall = WallTime(Read(CLOCK_REALTIME))} {}

}  // namespace jettison
