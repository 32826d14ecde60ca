#include "agent/notify/hook_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "ports/file_descriptor.h"
#include "ports/signals_blocked.h"
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

// What a child does before it executes the program. Until then it shares the agent's memory.
struct Child {
  char* const* arguments;
  int input;

  // Executes the program in a process group of its own, so that its children can be killed with it,
  // and with no signal blocked. Returns an errno value if that fails. Calls only async-signal-safe
  // functions.
  [[nodiscard]] int Become() const {
    if (setpgid(0, 0) != 0) return errno;
    // The program does not outlive the agent, which enforces its time limit.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(input, STDIN_FILENO) < 0 || fcntl(STDIN_FILENO, F_SETFD, 0) < 0) return errno;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return errno;
    // The exec may not close all descriptors of libraries, such as libcurl's wake-up. Kernels
    // before 5.9 lack the call.
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    execve(arguments[0], arguments, environ);
    return errno;
  }
};

// 0 or an errno value. posix_spawn does not suffice, because the child has to ask for its own kill.
int Spawn(const Child& child, pid_t& pid) {
  const SignalsBlocked no_handler_runs_in_the_child;
  volatile int error = 0;
  const pid_t forked = vfork();  // NOLINT(bugprone-unsafe-functions)
  if (forked == 0) {
    error = child.Become();
    _exit(127);
  }
  if (forked < 0) return errno;
  if (error != 0) waitpid(forked, nullptr, 0);
  pid = forked;
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

// If vfork is only a fork, as under a sanitizer, the child may not have a group of its own yet.
void KillGroup(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
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
  const Child child{arguments.data(), file->get()};
  pid_t pid = -1;
  if (const int error = Spawn(child, pid); error != 0) {
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
