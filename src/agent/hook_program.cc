#include "agent/hook_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>

#include "pod_host/pidfd.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// A file in memory, read from its beginning: it can be as long as it likes, no one has to write it
// while the program reads.
Result<FileDescriptor> FileOf(const std::string& input) {
  FileDescriptor file(memfd_create("jettison-notice", MFD_CLOEXEC));
  if (!file) return FailErrno("make its input");
  if (pwrite(file.get(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    return FailErrno("write its input");
  }
  return file;
}

// A group of its own, so that what it starts can be killed with it, and no signal blocked.
int Spawn(const std::vector<std::string>& command, int input, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn changes nothing
  }
  arguments.push_back(nullptr);
  const int error =
      posix_spawn(&pid, command.front().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// The agent is the last that the kernel should kill; a hook is not.
void BecomeOrdinary(pid_t pid) {
  const FileDescriptor file(
      open(fmt::format("/proc/{}/oom_score_adj", pid).c_str(), O_WRONLY | O_CLOEXEC));
  if (file) [[maybe_unused]]
    const auto written = write(file.get(), "0", 1);
}

bool HasEnded(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

// Whether it ended by itself. Where no handle of it can be had it is looked at by the clock.
bool AwaitEnd(pid_t pid, int stop, Duration timeout) {
  constexpr auto kByClock = std::chrono::milliseconds(20);
  const FileDescriptor child = pod_host::OpenPidfd(pid);
  std::array<pollfd, 2> waiting = {{{.fd = child.get(), .events = POLLIN, .revents = 0},
                                    {.fd = stop, .events = POLLIN, .revents = 0}}};
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!HasEnded(pid)) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left <= left.zero() || waiting[1].revents != 0) return false;
    if (!child) left = std::min(left, kByClock);
    poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
  }
  return true;
}

Result<void> OutcomeOf(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return Fail(ErrorCode::kInternal, fmt::format("ended by signal {}", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 0) return {};
  return Fail(ErrorCode::kInternal, fmt::format("exit status {}", WEXITSTATUS(status)));
}

}  // namespace

Result<void> RunHookProgram(const std::vector<std::string>& command, const std::string& input,
                            Duration timeout, int stop) {
  const auto file = FileOf(input);
  if (!file) return Fail(file.error());
  pid_t pid = -1;
  if (const int error = Spawn(command, file->get(), pid); error != 0) {
    return Fail(SystemError(error, "start " + command.front()));
  }
  BecomeOrdinary(pid);
  const bool ended = AwaitEnd(pid, stop, timeout);
  if (!ended) kill(-pid, SIGKILL);
  auto outcome = OutcomeOf(pid);
  if (ended) return outcome;
  return Fail(ErrorCode::kDeadlineExceeded,
              fmt::format("killed, it took longer than {}", FormatDuration(timeout)));
}

}  // namespace jettison
