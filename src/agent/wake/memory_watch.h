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
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "ports/mailbox.h"

namespace jettison {

// The groups about which the kernel notifies. References must outlive who has this.
struct WatchedGroups {
  Cgroups& node;                // "" is the node
  Cgroups& pods;                // below which the group of all pods stands
  std::string pods_group;       // that one
  bool whole_machine = true;    // the node is no group: /proc/pressure tells of it
  bool levels_of_usage = true;  // the kernel has them (cgroup v1)
};

// The PSI trigger for a resource: half of the share that the lowest threshold allows, within half a
// second, so that it fires well before an average reaches the threshold. For memory there is always
// one, for at most a tenth of the time. Absent: there is no threshold on I/O.
[[nodiscard]] std::optional<psi::Stalls> StallsToReport(const std::vector<Threshold>& thresholds,
                                                        psi::PressureResource resource);

// Opens the available PSI triggers: for stalls on memory, of the node and of the pods; for stalls
// on I/O, of the node, if there is a threshold on it. A missing one is logged. They are to be
// watched by EventLoop::WatchAlarm; an error means that the group is gone.
[[nodiscard]] std::vector<psi::PressureTrigger> OpenTriggers(
    const WatchedGroups& groups, const std::vector<Threshold>& thresholds, const Log& log);

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
  // `log` must outlive this; the loop must stand until End.
  MemoryWatch(WatchedGroups groups, const Log& log) : groups_(std::move(groups)), log_(log) {}

  // Sets who is told, before anything is watched.
  void Notify(MemoryCallbacks callbacks) { callbacks_ = std::move(callbacks); }
  void Arm(std::vector<MemoryLevel> levels);
  // Readable when levels have been registered.
  [[nodiscard]] int fd() const { return armed_.fd(); }
  // Takes over levels that have been registered. Usage may have passed one of them meanwhile, of
  // which the kernel says nothing; the next look sees it.
  void TakeLevels(EventLoop& loop);
  // Opens the alarms, instead of those before. The thresholds on pressure determine how small a
  // stall must wake the agent.
  void WatchAlarms(EventLoop& loop, const std::vector<Threshold>& thresholds);
  // Closes the levels. Must be called before the loop is destroyed.
  void End() { levels_.clear(); }

 private:
  struct Armed {
    std::vector<MemcgThreshold> levels;
    std::vector<Error> errors;  // of those that could not be registered
  };
  // Opens the directory of the group that a signal watches; called beside the loop.
  [[nodiscard]] Result<FileDescriptor> OpenGroup(Signal signal) const;
  void Use(EventLoop& loop, Armed armed);

  WatchedGroups groups_;
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
