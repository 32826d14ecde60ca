#include "agent/tell/kill_at_exit.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace jettison {
namespace {

bool SendsKill(const FileDescriptor& end, pid_t group) {
  return fcntl(end.get(), F_SETOWN, -group) == 0 && fcntl(end.get(), F_SETSIG, SIGKILL) == 0 &&
         fcntl(end.get(), F_SETFL, O_ASYNC) == 0;
}

}  // namespace

KillAtExit::KillAtExit() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  reader_ = FileDescriptor(ends[0]);
  writer_ = FileDescriptor(ends[1]);
}

// Both ends are armed, because either may be closed first.
int KillAtExit::Arm() const {
  const pid_t group = getpgrp();
  return SendsKill(reader_, group) && SendsKill(writer_, group) ? 0 : errno;
}

void KillAtExit::Disarm() const {
  for (const FileDescriptor* end : {&reader_, &writer_}) {
    (void)fcntl(end->get(), F_SETFL, 0);
    (void)fcntl(end->get(), F_SETOWN, 0);
  }
}

}  // namespace jettison
