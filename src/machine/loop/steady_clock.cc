#include "machine/loop/steady_clock.h"

#include <string>

#include "kernel/files/files.h"

namespace jettison {
namespace {

// Empty if it cannot be read: then no mark of another run counts as one of this boot.
std::string BootId() {
  std::string id = kernel::ReadFile("/proc/sys/kernel/random/boot_id").value_or("");
  while (id.ends_with('\n')) id.pop_back();
  return id;
}

}  // namespace

// One mark for the whole process, because the wall clock may be set between the creation of two
// clocks.
const TimeMark& SteadyClock::StartOfThisProcess() {
  static const TimeMark kStart{
      .boot_id = BootId(), .since_boot = SinceBoot(), .wall = WallTime(Read(CLOCK_REALTIME))};
  return kStart;
}

SteadyClock::SteadyClock() : start_(StartOfThisProcess()) {}

}  // namespace jettison
