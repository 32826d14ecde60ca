#pragma once

#include <functional>
#include <vector>

#include "agent/wake/arming_thread.h"
#include "agent/wake/memory_alarms.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "machine/loop/event_loop.h"

namespace jettison {

// The callbacks for the kernel's notifications about memory. They only wake the agent.
struct MemoryWatchEdges {
  std::function<void()> crossed;  // usage may have passed a level
  std::function<void()> stalled;  // tasks waited for memory, or for I/O
};

// Has the loop wait for the levels of usage that were registered and for the alarms of memory.
class MemoryWatch {
 public:
  // `arming` and `log` must outlive this; the loop must stand until End.
  MemoryWatch(ArmingThread& arming, const Log& log, MemoryWatchEdges edges)
      : arming_(arming), log_(log), edges_(std::move(edges)) {}

  // Takes over levels that have been registered. Usage may have passed one of them meanwhile, of
  // which the kernel says nothing; the next look sees it.
  void TakeLevels(EventLoop& loop);
  // Opens the alarms, instead of those before.
  void WatchAlarms(EventLoop& loop, const AlarmSources& sources);
  // Closes the levels. Must be called before the loop is destroyed.
  void End() { levels_.clear(); }

 private:
  void Use(EventLoop& loop, ArmingThread::Armed armed);

  ArmingThread& arming_;
  const Log& log_;
  MemoryWatchEdges edges_;
  MemoryAlarms alarms_;
  std::vector<MemcgThreshold> levels_;  // registered, and watched by the loop
  Once said_unarmed_;
};

}  // namespace jettison
