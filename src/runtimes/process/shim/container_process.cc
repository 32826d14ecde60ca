#include "runtimes/process/shim/container_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace jettison::shim {
namespace {

[[noreturn]] void GiveUp(int report_fd, const Failure& failure) {
  const Report report{.fatal = true, .failure = failure};
  (void)!write(report_fd, &report, sizeof(report));
  _exit(127);
}

bool WriteOomScoreAdj(std::int64_t value) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(value));
  const bool written = write(fd, text, static_cast<std::size_t>(size)) == size;
  const int error = errno;
  close(fd);
  errno = error;
  return written;
}

// Without CAP_SYS_RESOURCE the value cannot be lowered: then 0 is the nearest to a negative one.
int SetOomScoreAdj(std::int64_t value) {
  if (WriteOomScoreAdj(value)) return 0;
  const int error = errno;
  if (value < 0) (void)WriteOomScoreAdj(0);
  return error;
}

void ResetSignals() {
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

const char* PathOf(const Order& order) {
  for (std::size_t i = 0; i < order.env.count; ++i) {
    if (std::strncmp(order.env.items[i], "PATH=", 5) == 0) return order.env.items[i] + 5;
  }
  return "";
}

// Executes the program; a name without a slash is looked up in the container's own PATH. Returns
// only on failure, with the most informative errno.
void Execute(const Order& order) {
  const char* const program = order.args.items[0];
  if (std::strchr(program, '/') != nullptr) {
    execve(program, order.args.items, order.env.items);
    return;
  }
  int error = ENOENT;
  for (const char* entry = PathOf(order); entry != nullptr && *program != '\0';) {
    const char* const colon = std::strchr(entry, ':');
    const auto size = static_cast<int>(colon == nullptr ? std::strlen(entry)
                                                        : static_cast<std::size_t>(colon - entry));
    char path[PATH_MAX];
    // An empty entry would mean the current folder, which is hardly intended.
    if (size > 0 && std::snprintf(path, sizeof(path), "%.*s/%s", size, entry, program) <
                        static_cast<int>(sizeof(path))) {
      execve(path, order.args.items, order.env.items);
      if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    entry = colon == nullptr ? nullptr : colon + 1;
  }
  errno = error;
}

void EnterFolders(const Order& order, int report_fd) {
  const auto enter = [&](const char* path) {
    if (chdir(path) != 0) {
      GiveUp(report_fd, {.stage = Stage::kWorkingDirectory, .error = errno, .detail = path});
    }
  };
  // A hook enters its folder in the container's namespace. A container enters its own folder before
  // a volume may hide it.
  Failure failure;
  if (order.mode == Mode::kHook) {
    if (!JoinMountNamespace(failure)) GiveUp(report_fd, failure);
    enter(order.working_dir != nullptr ? order.working_dir : order.scratch_dir);
    return;
  }
  enter(order.scratch_dir);
  if (!MountVolumes(order, failure)) GiveUp(report_fd, failure);
  if (order.working_dir != nullptr) enter(order.working_dir);
}

}  // namespace

void BecomeProgram(const Order& order, const ProcessEnds& ends, pid_t shim) {
  // Without its shim, nothing would read the container's output or record its end.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shim) _exit(127);
  setsid();
  char byte = 0;
  ssize_t n = 0;
  while ((n = read(ends.gate, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (n != 1) _exit(127);

  const int oom_adj_error = SetOomScoreAdj(order.oom_score_adj);
  if (oom_adj_error != 0) {
    const Report report{.fatal = false, .oom_adj_error = oom_adj_error, .failure = {}};
    (void)!write(ends.report, &report, sizeof(report));
  }
  EnterFolders(order, ends.report);
  ResetSignals();
  if (ends.out >= 0 && dup2(ends.out, STDOUT_FILENO) < 0) _exit(127);
  if (ends.err >= 0 && dup2(ends.err, STDERR_FILENO) < 0) _exit(127);
  Execute(order);
  GiveUp(ends.report, {.stage = Stage::kExec, .error = errno, .detail = order.args.items[0]});
}

}  // namespace jettison::shim
