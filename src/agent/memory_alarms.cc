#include "agent/memory_alarms.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

// A tenth of the time is what a node that is merely busy does not reach.
constexpr psi::Stalls kTight{.kind = StallKind::kSome,
                             .stall = std::chrono::milliseconds(50),
                             .window = std::chrono::milliseconds(500)};

constexpr const char* kPressureFile = "memory.pressure";

}  // namespace

MemoryAlarms MemoryAlarms::Open(const AlarmSources& sources, const Log& log) {
  MemoryAlarms alarms;
  const auto add = [&](Result<psi::PressureTrigger> trigger, const char* whose) {
    if (trigger) {
      alarms.triggers_.push_back(std::move(*trigger));
    } else {
      log.Info("memory pressure wakes nobody, memory is looked at by the clock",
               {{"of", whose}, {"err", trigger.error().message}});
    }
  };
  const auto add_group = [&](const AlarmSources::OpenDirectory& open, const char* whose) {
    const auto group = open();
    add(group ? psi::PressureTrigger::Open(group->get(), kPressureFile, kTight)
              : Result<psi::PressureTrigger>(Fail(group.error())),
        whose);
  };
  if (sources.machine_pressure.empty()) {
    add_group(sources.node_pressure, "node");
  } else {
    add(psi::PressureTrigger::Open(sources.machine_pressure, kTight), "machine");
  }
  add_group(sources.pods_pressure, "pods");
  if (const auto pods = sources.pods_memory()) {
    alarms.events_ = FileDescriptor(openat(pods->get(), "memory.events", O_RDONLY | O_CLOEXEC));
  }
  return alarms;
}

std::vector<int> MemoryAlarms::fds() const {
  std::vector<int> fds;
  for (const psi::PressureTrigger& trigger : triggers_) fds.push_back(trigger.fd());
  if (events_) fds.push_back(events_.get());
  return fds;
}

bool MemoryAlarms::Drain(int fd, bool error) const {
  if (!events_ || fd != events_.get()) return !error;
  // Only reading it makes the kernel tell again.
  std::array<char, 512> text;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  return pread(fd, text.data(), text.size(), 0) >= 0;
}

}  // namespace jettison
