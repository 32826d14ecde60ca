#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/log/log.h"
#include "core/model/threshold.h"
#include "core/units/result.h"
#include "kernel/psi/pressure_files.h"
#include "kernel/psi/pressure_trigger.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Where the kernel may tell that memory gets tight, or that tasks wait for it or for I/O.
struct AlarmSources {
  using OpenDirectory = std::function<Result<FileDescriptor>()>;
  std::string machine_pressure;  // "/proc/pressure"; empty: the node is a group
  OpenDirectory node_pressure;   // of the node's group, with memory.pressure and io.pressure
  OpenDirectory pods_pressure;   // the same of the group of all pods
  OpenDirectory pods_memory;     // of that group, where its memory is accounted
  // Those on pressure say how little has to wake the agent; without one on I/O that is not asked
  // for.
  std::vector<Threshold> thresholds = {};
};

// What the kernel is asked to tell of a resource: half of what the lowest threshold allows, within
// half a second, so that it tells well before an average gets there; of memory in any case, and no
// more than a tenth of the time. Absent: nothing of I/O, which no threshold is about.
[[nodiscard]] std::optional<psi::Stalls> StallsToTell(const std::vector<Threshold>& thresholds,
                                                      psi::PressureResource resource);

// What the kernel has besides levels of usage to wake the agent with: tasks of the node, or of the
// pods, that waited for memory (PSI triggers), the same of the node and I/O where a threshold is
// about it, and memory.events of the pods' group (cgroup v2), which changes when the group meets
// its limit. None of them says how much is left, and no limit is set for their sake.
class MemoryAlarms {
 public:
  // Opens what there is; what there is not is said once and done without.
  [[nodiscard]] static MemoryAlarms Open(const AlarmSources& sources, const Log& log);

  // To be watched by EventLoop::WatchAlarm, as long as this object lives.
  [[nodiscard]] std::vector<int> fds() const;
  // Takes in what one of them told. False: its group is gone, it must not be watched any more.
  // `error`: what the loop saw.
  [[nodiscard]] bool Drain(int fd, bool error) const;
  // Whether the kernel tells of every stall of the node that thresholds are about.
  [[nodiscard]] bool tells_of_stalls() const { return tells_of_stalls_; }

 private:
  std::vector<psi::PressureTrigger> triggers_;
  FileDescriptor events_;  // memory.events
  bool tells_of_stalls_ = false;
};

}  // namespace jettison
