#include "containers/container_exit.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

namespace jettison {
namespace {

constexpr int kSignalBase = 128;

int SignalOf(int exit_code) {
  const int signal = exit_code - kSignalBase;
  return signal > 0 && signal <= SIGRTMAX ? signal : 0;
}

}  // namespace

Instant InstantOfNs(std::int64_t ns, Instant otherwise, const Clock& clock, Instant earliest) {
  return ns > 0 ? InstantOf(WallTime(Duration(ns)), clock, earliest) : otherwise;
}

ContainerExit ExitOf(const ReportedEnd& end, const KernelWord& seen, const Clock& clock) {
  ContainerExit exit{.exit_code = end.exit_code,
                     .signal = SignalOf(end.exit_code),
                     .oom_killed = seen.oom_killed || end.oom_killed,
                     .started = seen.started,
                     .finished = seen.finished};
  if (seen.wait_status)
    exit.signal = WIFSIGNALED(*seen.wait_status) ? WTERMSIG(*seen.wait_status) : 0;
  if (seen.oom_killed_in_pod && exit.signal == SIGKILL) exit.oom_killed = true;
  const Instant finished = InstantOfNs(end.finished_at, seen.finished, clock, seen.started);
  exit.finished = std::max(std::min(finished, seen.finished), seen.started);
  return exit;
}

ContainerExit ExitOf(const KernelWord& seen) {
  const int status = seen.wait_status.value_or(SIGKILL);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {.exit_code = signal != 0 ? kSignalBase + signal : WEXITSTATUS(status),
          .signal = signal,
          .oom_killed = seen.oom_killed || (seen.oom_killed_in_pod && signal == SIGKILL),
          .started = seen.started,
          .finished = std::max(seen.started, seen.finished)};
}

}  // namespace jettison
