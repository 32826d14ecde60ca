#include "agent/wake/memory_watch.h"

#include <algorithm>
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

Result<psi::PressureTrigger> OpenIn(const Cgroups& groups, std::string_view group,
                                    PressureResource resource, const psi::Stalls& stalls) {
  const auto directory = groups.OpenPressureDirectory(group);
  if (!directory) return Fail(directory.error());
  return psi::PressureTrigger::Open(directory->get(), FileOf(resource, false), stalls);
}

}  // namespace

Result<FileDescriptor> MemoryWatch::OpenGroup(Signal signal) const {
  if (!groups_.levels_of_usage) {
    return Fail(ErrorCode::kUnavailable, "cgroup v2 has no levels of usage");
  }
  return signal == Signal::kMemoryAvailable ? groups_.node.OpenMemoryDirectory("")
                                            : groups_.pods.OpenMemoryDirectory(groups_.pods_group);
}

void MemoryWatch::Arm(std::vector<MemoryLevel> levels) {
  jobs_.DoInstead([this, levels = std::move(levels)] {
    Armed armed;
    for (const MemoryLevel& level : levels) {
      const auto group = OpenGroup(level.signal);
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

std::vector<psi::PressureTrigger> OpenTriggers(const WatchedGroups& groups,
                                               const std::vector<Threshold>& thresholds,
                                               const Log& log) {
  std::vector<psi::PressureTrigger> triggers;
  const auto add = [&](Result<psi::PressureTrigger> trigger, PressureResource resource,
                       const char* whose) {
    if (trigger) {
      triggers.push_back(std::move(*trigger));
      return;
    }
    log.Info(resource == PressureResource::kMemory
                 ? "memory pressure cannot wake the agent; the agent looks at memory on a timer"
                 : "I/O pressure cannot wake the agent; the agent looks at it on a timer",
             {{"of", whose}, {"err", trigger.error().message}});
  };
  for (const PressureResource resource : {PressureResource::kMemory, PressureResource::kIo}) {
    const auto stalls = StallsToReport(thresholds, resource);
    if (!stalls) continue;
    if (groups.whole_machine) {
      add(psi::PressureTrigger::Open("/proc/pressure/" + FileOf(resource, true), *stalls), resource,
          "machine");
    } else {
      add(OpenIn(groups.node, "", resource, *stalls), resource, "node");
    }
  }
  constexpr auto kMemory = PressureResource::kMemory;
  add(OpenIn(groups.pods, groups.pods_group, kMemory, *StallsToReport({}, kMemory)), kMemory,
      "pods");
  return triggers;
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

void MemoryWatch::WatchAlarms(EventLoop& loop, const std::vector<Threshold>& thresholds) {
  for (const psi::PressureTrigger& trigger : triggers_) loop.Unwatch(trigger.fd());
  triggers_ = OpenTriggers(groups_, thresholds, log_);
  for (const psi::PressureTrigger& trigger : triggers_) {
    const auto watched = loop.WatchAlarm(trigger.fd(), [this, &loop, fd = trigger.fd()](bool gone) {
      if (gone) loop.Unwatch(fd);
      callbacks_.stalled();
    });
    if (watched) continue;
    log_.Warn("memory pressure cannot wake the agent; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
}

}  // namespace jettison
