#include "agent/wake/memory_watch.h"

#include <utility>

namespace jettison {

void MemoryWatch::TakeLevels(EventLoop& loop) {
  for (ArmingThread::Armed& armed : arming_.TakeResults()) Use(loop, std::move(armed));
}

// New levels replace the old ones.
void MemoryWatch::Use(EventLoop& loop, ArmingThread::Armed armed) {
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
          if (level.Drain()) edges_.crossed();
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
      edges_.stalled();
    });
    if (watched) continue;
    log_.Warn("memory pressure cannot wake the agent; the agent looks at memory on a timer",
              {{"err", watched.error().message}});
  }
}

}  // namespace jettison
