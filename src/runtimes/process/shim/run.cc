#include "runtimes/process/shim/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include "runtimes/process/shim/agent_link.h"
#include "runtimes/process/shim/container_process.h"
#include "runtimes/process/shim/log_file.h"
#include "runtimes/process/shim/run_files.h"

namespace jettison::shim {
namespace {

// How much a process that outlives the container may still write to the log.
constexpr int kMaxReadsAfterEnd = 64;

// The buffers of the two streams, in memory that costs nothing until it is used.
LogFile log_file;
LineCutter cutters[2];
constexpr const char* kStreamNames[2] = {"stdout", "stderr"};
volatile std::sig_atomic_t log_is_renamed = 0;  // SIGHUP has come

// A process that has been forked and waits at its gate.
struct Forked {
  pid_t pid = -1;
  int gate = -1;
  int report = -1;
  int streams[2] = {-1, -1};
};

bool MakePipe(int& reader, int& writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reader = ends[0];
  writer = ends[1];
  return true;
}

// Forks the process; a hook has no streams.
bool Fork(const Order& order, bool with_streams, Forked& forked, Failure& failure) {
  ProcessEnds ends;
  bool made = MakePipe(ends.gate, forked.gate) && MakePipe(forked.report, ends.report);
  if (with_streams) {
    made = made && MakePipe(forked.streams[0], ends.out) && MakePipe(forked.streams[1], ends.err);
  }
  const pid_t shim = getpid();
  forked.pid = made ? fork() : -1;
  if (forked.pid < 0) {
    failure = {.stage = Stage::kFork, .error = errno, .detail = ""};
    return false;
  }
  if (forked.pid == 0) {
    close(forked.gate);
    BecomeProgram(order, ends, shim);
  }
  for (const int fd : {ends.gate, ends.report, ends.out, ends.err}) {
    if (fd >= 0) close(fd);
  }
  return true;
}

// Opens the gate and waits until the program runs or has reported why it does not.
bool LetGo(const Forked& forked, int& oom_adj_error, Failure& failure) {
  (void)!write(forked.gate, "g", 1);
  close(forked.gate);
  Report report;
  for (;;) {
    const ssize_t n = read(forked.report, &report, sizeof(report));
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof(report)) break;
    if (report.fatal) {
      failure = report.failure;
      return false;
    }
    oom_adj_error = report.oom_adj_error;
  }
  close(forked.report);
  return true;
}

void Discard(const Forked& forked) {
  kill(forked.pid, SIGKILL);
  waitpid(forked.pid, nullptr, 0);
}

// Reads from a stream and logs its whole lines. False at the end of the stream, or if there is
// nothing to read now.
bool CopyStream(int stream, int fd, bool& ended) {
  LineCutter& cutter = cutters[stream];
  const ssize_t n = read(fd, cutter.space(), cutter.room());
  ended = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
  if (n <= 0) return false;
  cutter.Commit(static_cast<std::size_t>(n));
  const std::int64_t now = NowNs();
  for (Line line; cutter.Next(line);) log_file.Add(now, kStreamNames[stream], line);
  log_file.Flush();
  return true;
}

// Logs what is left in the pipes and in the cutters.
void DrainStreams(int (&streams)[2]) {
  for (int i = 0; i < 2; ++i) {
    bool ended = streams[i] < 0;
    for (int reads = 0; !ended && reads < kMaxReadsAfterEnd; ++reads) {
      if (!CopyStream(i, streams[i], ended)) break;
    }
    Line line;
    if (cutters[i].Last(line)) log_file.Add(NowNs(), kStreamNames[i], line);
  }
  log_file.Flush();
}

// Reaps every child that has ended, those that the container abandoned included. True when the
// container's own process was among them.
bool Reap(pid_t container, int& status) {
  bool container_ended = false;
  int child_status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &child_status, WNOHANG)) > 0;) {
    if (pid != container) continue;
    status = child_status;
    container_ended = true;
  }
  return container_ended;
}

// Ends every child that is left. The children of those become the shim's own.
void KillChildren() {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char pids[4096];
  const ssize_t n = read(fd, pids, sizeof(pids) - 1);
  close(fd);
  if (n <= 0) return;
  pids[n] = '\0';
  // A number that the buffer cut off is left for the next round.
  for (char* at = pids; char* end = std::strchr(at, ' '); at = end + 1) {
    const long pid = std::strtol(at, nullptr, 10);
    if (pid > 1) kill(static_cast<pid_t>(pid), SIGKILL);
  }
}

// A container ends with its own process; the processes that it left behind are killed and reaped
// here. Another process might reap them much later, and zombies hold process ids until then.
void EndAbandoned() {
  constexpr std::int64_t kPatienceNs = 2'000'000'000;
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  for (const std::int64_t end = SteadyNs() + kPatienceNs; SteadyNs() < end;) {
    KillChildren();
    pid_t pid = 0;
    while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (pid < 0) return;
    nanosleep(&kPause, nullptr);
  }
}

// Copies output until the container's process has ended; returns its wait status. The signals that
// the shim takes reach it only while it waits, and end the wait.
int Attend(Forked& forked) {
  sigset_t none;
  sigemptyset(&none);
  for (const int fd : forked.streams) fcntl(fd, F_SETFL, O_NONBLOCK);
  int status = 0;
  while (!Reap(forked.pid, status)) {
    struct pollfd watched[2] = {{forked.streams[0], POLLIN, 0}, {forked.streams[1], POLLIN, 0}};
    const bool any = ppoll(watched, 2, nullptr, &none) > 0;
    if (log_is_renamed) log_file.Reopen();
    log_is_renamed = 0;
    for (int i = 0; i < 2; ++i) {
      if (!any || watched[i].revents == 0) continue;
      bool ended = false;
      CopyStream(i, forked.streams[i], ended);
      if (!ended) continue;
      close(forked.streams[i]);
      forked.streams[i] = -1;
    }
  }
  DrainStreams(forked.streams);
  return status;
}

int CodeOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int Refuse(Stage stage, const char* detail) {
  TellFailed({.stage = stage, .error = errno, .detail = detail});
  return 1;
}

}  // namespace

void TakeSignals() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  sigaddset(&taken, SIGHUP);
  sigprocmask(SIG_BLOCK, &taken, nullptr);
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGCHLD, &action, nullptr);
  action.sa_handler = [](int) { log_is_renamed = 1; };
  sigaction(SIGHUP, &action, nullptr);
}

int RunContainer(const Order& order) {
  RunFiles files;
  if (!files.Open(order.run_dir)) return Refuse(Stage::kState, files.what());
  if (!log_file.Open(order.log_path)) {
    return Refuse(Stage::kLog, order.log_path);
  }
  Forked forked;
  Failure failure;
  if (!Fork(order, true, forked, failure)) {
    TellFailed(failure);
    return 1;
  }
  if (!JoinGroups(order, forked.pid, failure)) {
    Discard(forked);
    TellFailed(failure);
    return 1;
  }
  // The next agent starts what was not written down by now.
  if (!AgentIsThere()) {
    Discard(forked);
    return 1;
  }
  if (!files.WriteRunning(order, forked.pid, NowNs())) {
    Refuse(Stage::kState, files.what());
    Discard(forked);
    return 1;
  }
  Ending ending{.started_ns = NowNs()};
  int oom_adj_error = 0;
  if (LetGo(forked, oom_adj_error, failure)) {
    ending.started_ns = NowNs();
    TellStarted(forked.pid, ending.started_ns, oom_adj_error);
    const int status = Attend(forked);
    ending.code = CodeOf(status);
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  } else {
    Discard(forked);
    ending.failed = true;
  }
  ending.finished_ns = NowNs();
  ending.lost_log_bytes = log_file.lost_bytes();
  const bool recorded = files.WriteExit(ending);
  EndAbandoned();
  // Only after the record was written, so that an agent which is notified finds it.
  if (ending.failed) TellFailed(failure);
  return recorded ? 0 : 1;
}

int RunHook(const Order& order) {
  Forked forked;
  Failure failure;
  int ignored = 0;
  const bool runs = Fork(order, false, forked, failure) && JoinGroups(order, forked.pid, failure) &&
                    LetGo(forked, ignored, failure);
  if (!runs) {
    if (forked.pid > 0) Discard(forked);
    TellFailed(failure);
    return 127;
  }
  int status = 0;
  while (waitpid(forked.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return CodeOf(status);
}

}  // namespace jettison::shim
