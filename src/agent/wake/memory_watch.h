#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/model/threshold.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "kernel/memcg_events/memcg_threshold.h"
#include "kernel/psi/pressure.h"
#include "machine/log/log.h"
#include "machine/loop/event_loop.h"
#include "machine/loop/job_queue.h"
#include "ports/file_descriptor.h"
#include "ports/mailbox.h"

namespace jettison {

// The sources of kernel notifications about memory shortage and about stalls on memory or I/O.
struct AlarmSources {
  using OpenDirectory = std::function<Result<FileDescriptor>()>;
  std::string machine_pressure;  // "/proc/pressure"; empty: the node is a group
  OpenDirectory node_pressure;   // of the node's group, with memory.pressure and io.pressure
  OpenDirectory pods_pressure;   // the same of the group of all pods
  // The thresholds on pressure determine how small a stall must wake the agent. Without one on I/O,
  // no notification about I/O is requested.
  std::vector<Threshold> thresholds = {};
};

// The PSI trigger for a resource: half of the share that the lowest threshold allows, within half a
// second, so that it fires well before an average reaches the threshold. For memory there is always
// one, for at most a tenth of the time. Absent: there is no threshold on I/O.
[[nodiscard]] std::optional<psi::Stalls> StallsToReport(const std::vector<Threshold>& thresholds,
                                                        psi::PressureResource resource);

// Opens the available PSI triggers: for stalls on memory, of the node and of the pods; for stalls
// on I/O, of the node, if there is a threshold on it. None of them says how much is left, and the
// agent sets no limit to get them. A missing one is logged once. They are to be watched by
// EventLoop::WatchAlarm; an error means that the group is gone.
[[nodiscard]] std::vector<psi::PressureTrigger> OpenTriggers(const AlarmSources& sources,
                                                             const Log& log);

// The callbacks for the kernel's notifications about memory. They only wake the agent.
struct MemoryCallbacks {
  std::function<void()> crossed;  // usage may have passed a level
  std::function<void()> stalled;  // tasks waited for memory, or for I/O
};

// Registers levels of memory usage with the kernel, and has the loop wait for them and for the
// alarms of memory. Registering takes 8 to 56 ms each, so it is done beside the loop; the levels
// registered before stay in force until then.
class MemoryWatch {
 public:
  // Opens the directory of the group that a signal watches; called beside the loop.
  using OpenGroup = std::function<Result<FileDescriptor>(Signal)>;

  // `log` must outlive this; the loop must stand until End.
  MemoryWatch(OpenGroup open_group, const Log& log)
      : open_group_(std::move(open_group)), log_(log) {}

  // Sets who is told, before anything is watched.
  void Notify(MemoryCallbacks callbacks) { callbacks_ = std::move(callbacks); }
  void Arm(std::vector<MemoryLevel> levels);
  // Readable when levels have been registered.
  [[nodiscard]] int fd() const { return armed_.fd(); }
  // Takes over levels that have been registered. Usage may have passed one of them meanwhile, of
  // which the kernel says nothing; the next look sees it.
  void TakeLevels(EventLoop& loop);
  // Opens the alarms, instead of those before.
  void WatchAlarms(EventLoop& loop, const AlarmSources& sources);
  // Closes the levels. Must be called before the loop is destroyed.
  void End() { levels_.clear(); }

 private:
  struct Armed {
    std::vector<MemcgThreshold> levels;
    std::vector<Error> errors;  // of those that could not be registered
  };
  void Use(EventLoop& loop, Armed armed);

  OpenGroup open_group_;
  const Log& log_;
  MemoryCallbacks callbacks_;
  std::vector<psi::PressureTrigger> triggers_;
  std::vector<MemcgThreshold> levels_;  // registered, and watched by the loop
  Once said_unarmed_;
  Mailbox<Armed> armed_;
  // The last member: it ends first.
  JobQueue jobs_{Threads::kEnding};
};

}  // namespace jettison
