#include "runtimes/process/shim/groups.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "runtimes/process/shim/protocol.h"

namespace jettison::shim {
namespace {

int FileOf(std::size_t group) {
  return kFirstGroupFile + static_cast<int>(group);
}

bool Join(int file, pid_t pid) {
  char text[16];
  const int size = std::snprintf(text, sizeof(text), "%d\n", pid);
  ssize_t n = 0;
  while ((n = write(file, text, static_cast<std::size_t>(size))) < 0 && errno == EINTR) {
  }
  return n == size;
}

}  // namespace

void KeepGroupFiles(const Order& order) {
  for (std::size_t i = 0; i < order.groups.count; ++i) fcntl(FileOf(i), F_SETFD, FD_CLOEXEC);
}

bool JoinGroups(const Order& order, pid_t pid, Failure& failure) {
  for (std::size_t i = 0; i < order.groups.count; ++i) {
    if (!Join(FileOf(i), pid)) {
      failure = {.stage = Stage::kGroup, .error = errno, .detail = order.groups.items[i]};
      return false;
    }
    close(FileOf(i));
  }
  return true;
}

}  // namespace jettison::shim
