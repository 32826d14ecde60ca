#pragma once

#include "ports/file_descriptor.h"

namespace jettison {

// Has the kernel kill a process group when this process ends, however it ends. It is a pipe of
// which this process has both ends and nobody else has one: when it ends, one end is closed first,
// and the other one then sends SIGKILL (fcntl(2), F_SETOWN and F_SETSIG). The owner is the group
// itself and not its number, so it never hits another one.
class KillAtExit {
 public:
  // Without a descriptor to be had Arm fails.
  KillAtExit();

  // For a child between vfork and exec: from now on its group is killed, even when this process
  // ends before the exec. 0, or an errno value. Calls only what is async-signal-safe.
  [[nodiscard]] int Arm() const;
  // What is left of the group runs on.
  void Disarm() const;

 private:
  FileDescriptor reader_;
  FileDescriptor writer_;
};

}  // namespace jettison
