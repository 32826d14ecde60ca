#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/log.h"
#include "platform/psi/pressure_trigger.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison {

// Where the kernel may tell that memory gets tight.
struct AlarmSources {
  using OpenDirectory = std::function<Result<FileDescriptor>()>;
  std::string machine_pressure;  // "/proc/pressure/memory"; empty: the node is a group
  OpenDirectory node_pressure;   // of the node's group, with memory.pressure
  OpenDirectory pods_pressure;   // the same of the group of all pods
  OpenDirectory pods_memory;     // of that group, where its memory is accounted
};

// What the kernel has besides levels of usage to wake the agent with: tasks of the node, or of the
// pods, that waited for memory (PSI triggers), and memory.events of the pods' group (cgroup v2),
// which changes when the group meets its limit. None of them says how much is left, and no limit is
// set for their sake.
class MemoryAlarms {
 public:
  // Opens what there is; what there is not is said once and done without.
  [[nodiscard]] static MemoryAlarms Open(const AlarmSources& sources, const Log& log);

  // To be watched by EventLoop::WatchAlarm, as long as this object lives.
  [[nodiscard]] std::vector<int> fds() const;
  // Takes in what one of them told. False: its group is gone, it must not be watched any more.
  // `error`: what the loop saw.
  [[nodiscard]] bool Drain(int fd, bool error) const;

 private:
  std::vector<psi::PressureTrigger> triggers_;
  FileDescriptor events_;  // memory.events
};

}  // namespace jettison
