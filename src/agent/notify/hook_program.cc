#include "agent/notify/hook_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// A file in memory: unlike a pipe, it can have any length, and no thread has to write while the
// program reads.
Result<FileDescriptor> FileOf(const std::string& input) {
  FileDescriptor file(memfd_create("jettison-notice", MFD_CLOEXEC));
  if (!file) return FailErrno("make its input");
  if (pwrite(file.get(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    return FailErrno("write its input");
  }
  return file;
}

// Starts the program in a process group of its own, so that its children can be killed with it, and
// with no signal blocked. Returns 0 or an errno value.
int Spawn(char* const* arguments, int input, pid_t& pid) {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  // The exec may not close all descriptors of libraries, such as libcurl's wake-up.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  const int error = posix_spawn(&pid, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// The kernel should kill the agent last, but not a hook.
void BecomeOrdinary(pid_t pid) {
  const FileDescriptor file(
      open(fmt::format("/proc/{}/oom_score_adj", pid).c_str(), O_WRONLY | O_CLOEXEC));
  if (file) [[maybe_unused]]
    const auto written = write(file.get(), "0", 1);
}

// The status with which the program ended by itself; absent: it did not in time.
std::optional<int> AwaitEnd(pid_t pid, int stop, Duration timeout) {
  constexpr int kLookEveryMs = 20;
  pollfd stopped = {.fd = stop, .events = POLLIN, .revents = 0};
  const auto end = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (stopped.revents != 0 || std::chrono::steady_clock::now() >= end) return std::nullopt;
    poll(&stopped, 1, kLookEveryMs);
  }
  return status;
}

void KillGroup(pid_t pid) {
  kill(-pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<void> RunHookProgram(const HookCall& call, const std::string& input) {
  const auto file = FileOf(input);
  if (!file) return Fail(file.error());
  std::vector<char*> arguments;
  for (const std::string& argument : call.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execve changes nothing
  }
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (const int error = Spawn(arguments.data(), file->get(), pid); error != 0) {
    return Fail(SystemError(error, "start " + call.command.front()));
  }
  BecomeOrdinary(pid);
  const auto status = AwaitEnd(pid, call.stop, call.timeout);
  if (!status) {
    KillGroup(pid);
    return Fail(ErrorCode::kDeadlineExceeded,
                fmt::format("killed because it took longer than {}", FormatDuration(call.timeout)));
  }
  if (WIFSIGNALED(*status)) {
    return Fail(ErrorCode::kInternal, fmt::format("ended by signal {}", WTERMSIG(*status)));
  }
  if (WEXITSTATUS(*status) == 0) return {};
  return Fail(ErrorCode::kInternal, fmt::format("exit status {}", WEXITSTATUS(*status)));
}

}  // namespace jettison
