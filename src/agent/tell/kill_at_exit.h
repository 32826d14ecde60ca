#pragma once

#include "ports/file_descriptor.h"

namespace jettison {

// Has the kernel kill a process group when this process ends in any way. It uses a pipe, of which
// only this process has the two ends. When the process ends, the kernel closes one end, and the
// other end then sends SIGKILL to the group (fcntl(2), F_SETOWN and F_SETSIG). The kernel keeps the
// group itself as the owner, not its number, so another group with the same number is never killed.
class KillAtExit {
 public:
  // If no descriptor is available, Arm will fail.
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
