#include "runtimes/process/shim/agent_link.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "runtimes/process/shim/protocol.h"

namespace jettison::shim {
namespace {

void Send(const Message& message) {
  while (send(kAgentSocket, &message, sizeof(message), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

std::int64_t Read(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

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

void TellStarted(pid_t pid, std::int64_t at_ns, int oom_adj_error) {
  Send({.kind = MessageKind::kStarted, .pid = pid, .error = oom_adj_error, .at_ns = at_ns});
}

void TellFailed(const Failure& failure) {
  Message message{.kind = MessageKind::kFailed, .stage = failure.stage, .error = failure.error};
  std::snprintf(message.detail, sizeof(message.detail), "%s", failure.detail);
  Send(message);
}

// The agent sends nothing, so there is either nothing to receive or the end of the connection.
bool AgentIsThere() {
  char byte = 0;
  return recv(kAgentSocket, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

std::int64_t NowNs() {
  return Read(CLOCK_REALTIME);
}

std::int64_t SteadyNs() {
  return Read(CLOCK_MONOTONIC);
}

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
