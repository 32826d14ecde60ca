#include "agent/wake/memory_watch.h"

#include <utility>

namespace jettison {

// Usage may have passed one of the new levels while they were registered, so memory is looked at
// once.
void MemoryWatch::TakeLevels(EventLoop& loop) {
  std::vector<ArmingThread::Armed> results = arming_.TakeResults();
  for (ArmingThread::Armed& armed : results) Use(loop, std::move(armed));
  if (!results.empty() && !levels_.empty()) edges_.crossed();
}

// New levels replace the old ones.
void MemoryWatch::Use(EventLoop& loop, ArmingThread::Armed armed) {
  if (armed.errors.empty()) {
    said_unarmed_.Reset();
  } else if (said_unarmed_.Take()) {
    log_.Warn("memory notifications are not available; the agent looks at memory in each pass only",
              {{"err", armed.errors.front().message}});
  }
  for (const MemcgThreshold& level : levels_) loop.Unwatch(level.fd());
  levels_ = std::move(armed.levels);
  bool tells = armed.errors.empty() && !levels_.empty();
  for (MemcgThreshold& level : levels_) {
    const auto watched = loop.Watch(
        level.fd(),
        [this, &level] {
          if (level.Drain()) edges_.crossed();
        },
        EventLoop::Urgency::kFirst);
    if (watched) continue;
    tells = false;
    log_.Warn("memory notifications cannot be awaited; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
  edges_.kernel_tells(tells);
}

void MemoryWatch::WatchAlarms(EventLoop& loop, const AlarmSources& sources) {
  for (const int fd : alarms_.fds()) loop.Unwatch(fd);
  alarms_ = MemoryAlarms::Open(sources, log_);
  edges_.stalls_are_told(alarms_.tells_of_stalls());
  for (const int fd : alarms_.fds()) {
    const auto watched = loop.WatchAlarm(fd, [this, &loop, fd](bool error) {
      if (!alarms_.Drain(fd, error)) loop.Unwatch(fd);
      edges_.stalled();
    });
    if (watched) continue;
    edges_.stalls_are_told(false);
    log_.Warn("memory pressure cannot wake the agent; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
}

}  // namespace jettison
