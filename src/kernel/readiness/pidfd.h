#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "ports/file_descriptor.h"

namespace jettison::kernel {

// A handle of the process, readable when it has ended; empty with errno set where there is none.
// (The header of glibc 2.36 lacks C linkage, so these are the bare system calls.)
[[nodiscard]] inline FileDescriptor OpenPidfd(pid_t pid) {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

// Sends a signal through the handle: 0, or -1 with errno; ESRCH where the process has ended.
inline int SendSignal(const FileDescriptor& pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0));
}

}  // namespace jettison::kernel
