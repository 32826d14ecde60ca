#include "agent/wake/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using psi::PressureResource;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kWindow = milliseconds(500);
// A node that is merely busy does not stall for a tenth of the time.
constexpr microseconds kTight = kWindow / 10;
constexpr microseconds kShortestStall = milliseconds(1);

Resource ResourceBehind(PressureResource resource) {
  return resource == PressureResource::kMemory ? Resource::kMemory : Resource::kIo;
}

// "memory", or "memory.pressure" in a group.
std::string FileOf(PressureResource resource, bool of_machine) {
  return std::string(NameOf(ResourceBehind(resource))) + (of_machine ? "" : ".pressure");
}

Result<psi::PressureTrigger> OpenIn(const AlarmSources::OpenDirectory& open,
                                    PressureResource resource, const psi::Stalls& stalls) {
  const auto group = open();
  if (!group) return Fail(group.error());
  return psi::PressureTrigger::Open(group->get(), FileOf(resource, false), stalls);
}

Result<psi::PressureTrigger> OpenOfNode(const AlarmSources& sources, PressureResource resource,
                                        const psi::Stalls& stalls) {
  if (sources.machine_pressure.empty()) return OpenIn(sources.node_pressure, resource, stalls);
  return psi::PressureTrigger::Open(sources.machine_pressure + "/" + FileOf(resource, true),
                                    stalls);
}

// Of the group alone where the kernel has that file (Linux 5.2): in the other one each pod that
// reaches its own limit counts, too, and one that stays there would wake the agent all the time.
FileDescriptor OpenEvents(int group) {
  FileDescriptor own(openat(group, "memory.events.local", O_RDONLY | O_CLOEXEC));
  return own ? std::move(own)
             : FileDescriptor(openat(group, "memory.events", O_RDONLY | O_CLOEXEC));
}

}  // namespace

void MemoryWatch::Arm(std::vector<MemoryLevel> levels) {
  jobs_.DoInstead([this, levels = std::move(levels)] {
    Armed armed;
    for (const MemoryLevel& level : levels) {
      const auto group = open_group_(level.signal);
      auto registered = group ? MemcgThreshold::Register(group->get(), level.bytes)
                              : Result<MemcgThreshold>(Fail(group.error()));
      if (registered) {
        armed.levels.push_back(std::move(*registered));
      } else {
        armed.errors.push_back(registered.error().In(NameOf(level.signal)));
      }
    }
    armed_.Put(std::move(armed));
  });
}

std::optional<psi::Stalls> StallsToReport(const std::vector<Threshold>& thresholds,
                                          PressureResource resource) {
  std::optional<std::int64_t> lowest;
  bool only_full = true;
  for (const Threshold& threshold : thresholds) {
    const SignalRow& row = RowOf(threshold.signal);
    if (!row.stall || row.resource != ResourceBehind(resource)) continue;
    const std::int64_t share = LostOf(std::get<Quantity>(threshold.value));
    lowest = std::min(lowest.value_or(share), share);
    only_full = only_full && row.stall->kind == StallKind::kFull;
  }
  const microseconds half = kWindow * lowest.value_or(kWholeTime) / (2 * kWholeTime);
  const microseconds stall = std::max(half, kShortestStall);
  if (resource == PressureResource::kMemory) {
    return psi::Stalls{
        .kind = StallKind::kSome, .stall = std::min(stall, kTight), .window = kWindow};
  }
  if (!lowest) return std::nullopt;
  return psi::Stalls{
      .kind = only_full ? StallKind::kFull : StallKind::kSome, .stall = stall, .window = kWindow};
}

MemoryAlarms MemoryAlarms::Open(const AlarmSources& sources, const Log& log) {
  MemoryAlarms alarms;
  const auto add = [&](Result<psi::PressureTrigger> trigger, PressureResource resource,
                       const char* whose) {
    if (trigger) {
      alarms.triggers_.push_back(std::move(*trigger));
      return;
    }
    log.Info(resource == PressureResource::kMemory
                 ? "memory pressure cannot wake the agent; the agent looks at memory on a timer"
                 : "I/O pressure cannot wake the agent; the agent looks at it on a timer",
             {{"of", whose}, {"err", trigger.error().message}});
  };
  const char* const node = sources.machine_pressure.empty() ? "node" : "machine";
  for (const PressureResource resource : {PressureResource::kMemory, PressureResource::kIo}) {
    const auto stalls = StallsToReport(sources.thresholds, resource);
    if (stalls) add(OpenOfNode(sources, resource, *stalls), resource, node);
  }
  constexpr auto kMemory = PressureResource::kMemory;
  add(OpenIn(sources.pods_pressure, kMemory, *StallsToReport({}, kMemory)), kMemory, "pods");
  if (const auto pods = sources.pods_memory()) {
    alarms.events_ = OpenEvents(pods->get());
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
  // The kernel reports again only after the file was read.
  std::array<char, 512> text;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  return pread(fd, text.data(), text.size(), 0) >= 0;
}

void MemoryWatch::TakeLevels(EventLoop& loop) {
  for (Armed& armed : armed_.TakeAll()) Use(loop, std::move(armed));
}

// New levels replace the old ones.
void MemoryWatch::Use(EventLoop& loop, Armed armed) {
  if (armed.errors.empty()) {
    said_unarmed_.Reset();
  } else if (said_unarmed_.Take()) {
    log_.Warn("memory notifications are not available; the agent looks at memory on a timer",
              {{"err", armed.errors.front().message}});
  }
  for (const MemcgThreshold& level : levels_) loop.Unwatch(level.fd());
  levels_ = std::move(armed.levels);
  for (MemcgThreshold& level : levels_) {
    const auto watched = loop.Watch(
        level.fd(),
        [this, &level] {
          if (level.Drain()) callbacks_.crossed();
        },
        EventLoop::Urgency::kFirst);
    if (watched) continue;
    log_.Warn("memory notifications cannot be awaited; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
}

void MemoryWatch::WatchAlarms(EventLoop& loop, const AlarmSources& sources) {
  for (const int fd : alarms_.fds()) loop.Unwatch(fd);
  alarms_ = MemoryAlarms::Open(sources, log_);
  for (const int fd : alarms_.fds()) {
    const auto watched = loop.WatchAlarm(fd, [this, &loop, fd](bool error) {
      if (!alarms_.Drain(fd, error)) loop.Unwatch(fd);
      callbacks_.stalled();
    });
    if (watched) continue;
    log_.Warn("memory pressure cannot wake the agent; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
}

}  // namespace jettison
