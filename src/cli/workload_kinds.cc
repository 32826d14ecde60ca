#include "cli/workload_kinds.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include "cli/terminal/output.h"
#include "ports/file_descriptor.h"

namespace jettison::workload {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kChildStack = 4 * kPage;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kGateInterval = 20'000'000;  // ns between two looks

std::int64_t NowNanos() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

void SleepUntil(std::int64_t due) {
  const timespec at{.tv_sec = due / kNanosPerSecond, .tv_nsec = due % kNanosPerSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

// Keeps a steady rate: what was late is caught up with, so the average holds.
class Pace {
 public:
  explicit Pace(double rate) : rate_(rate), start_(NowNanos()) {}
  // Waits until `done` units may have been finished.
  void WaitAt(double done) const {
    if (rate_ <= 0) return;
    const std::int64_t due = start_ + static_cast<std::int64_t>(done / rate_ * 1e9);
    if (due > NowNanos()) SleepUntil(due);
  }

 private:
  double rate_;
  std::int64_t start_;
};

void Complain(const char* what) {
  PrintError("{}: {}\n", what, std::strerror(errno));
}

void ExitAtOnce(int /*signal*/) {
  ::_exit(0);
}

// Replaces the way SIGTERM is handled, unless it is ignored.
void HandleTerm(void (*handler)(int)) {
  struct sigaction action {};
  ::sigaction(SIGTERM, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  ::sigaction(SIGTERM, &action, nullptr);
}

void HandleSignals(bool ignore_term) {
  struct sigaction action {};
  action.sa_handler = ignore_term ? SIG_IGN : ExitAtOnce;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Memory that is only charged once it is touched; null where the address space is full.
char* Reserve(std::size_t bytes) {
  void* area = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) {
    Complain("mmap");
    return nullptr;
  }
  // Huge pages would make the growth jump by 2 MiB.
  ::madvise(area, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(area);
}

void TouchMiB(char* at) {
  for (std::size_t offset = 0; offset < kMiB; offset += kPage) at[offset] = 1;
}

std::vector<char> Noise() {
  std::vector<char> noise(kMiB);
  std::uint32_t state = 1;
  for (char& byte : noise) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator: cheap, good enough
    byte = static_cast<char>(state >> 24);
  }
  return noise;
}

bool WriteAll(int fd, const std::vector<char>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

int SleepAsChild(void* parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != *static_cast<const pid_t*>(parent))
    ::_exit(0);  // it ended before the line above
  while (true) ::pause();
}

// Children of this process, for the signal handler: it can reach nothing else.
std::vector<pid_t> children;

// Takes the children along and reaps them: their process ids are free again when this one ends, and
// not only when init comes round to it.
void EndWithChildren(int /*signal*/) {
  for (const pid_t child : children) ::kill(child, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  ::_exit(0);
}

// A process that shares its parent's memory: it costs the kernel a fifth of a copy, so that
// hundreds of them are a shortage of process ids and of nothing else. Negative where it fails.
pid_t ForkSharing() {
  static pid_t parent = ::getpid();  // read by children that have just begun
  void* stack = ::mmap(nullptr, kChildStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  return ::clone(SleepAsChild, static_cast<char*>(stack) + kChildStack, CLONE_VM | SIGCHLD,
                 &parent);
}

// With SIGTERM held back: its handler must find every child, and the children need not handle it.
bool AddChild() {
  sigset_t term;
  sigset_t before;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, &before);
  const pid_t child = ForkSharing();
  if (child > 0) children.push_back(child);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return child > 0;
}

}  // namespace

void WaitForGate(const std::string& gate) {
  if (gate.empty()) return;
  struct stat found {};
  while (::stat(gate.c_str(), &found) != 0) SleepUntil(NowNanos() + kGateInterval);
}

void Begin(const Conduct& conduct) {
  HandleSignals(conduct.ignore_term);
  if (conduct.delay_seconds > 0) {
    SleepUntil(NowNanos() + static_cast<std::int64_t>(conduct.delay_seconds * 1e9));
  }
  WaitForGate(conduct.gate);
}

void Leak(std::int64_t start_mib, const std::string& gate, Growth growth) {
  if (growth.total <= 0) return WaitForGate(gate);
  char* area = Reserve(static_cast<std::size_t>(growth.total) * kMiB);
  if (area == nullptr) return;
  std::int64_t touched = 0;
  const auto touch_next = [&] { TouchMiB(area + static_cast<std::size_t>(touched++) * kMiB); };
  while (touched < start_mib && touched < growth.total) touch_next();
  WaitForGate(gate);
  const Pace pace(growth.rate);
  for (std::int64_t grown = 0; touched < growth.total; ++grown) {
    pace.WaitAt(static_cast<double>(grown));
    touch_next();
  }
}

void Fill(const std::string& path, Growth growth) {
  const FileDescriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return Complain(path.c_str());
  const std::vector<char> noise = Noise();
  const Pace pace(growth.rate);
  for (std::int64_t written = 0; written < growth.total; ++written) {
    pace.WaitAt(static_cast<double>(written));
    if (!WriteAll(file.get(), noise)) return Complain(path.c_str());
  }
}

void TakeInodes(const std::string& directory, Growth growth) {
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return Complain(directory.c_str());
  }
  const Pace pace(growth.rate);
  for (std::int64_t made = 0; made < growth.total; ++made) {
    pace.WaitAt(static_cast<double>(made));
    const std::string path = fmt::format("{}/{}", directory, made);
    const FileDescriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    if (!file) return Complain(path.c_str());
  }
}

void Fork(Growth growth) {
  children.reserve(static_cast<std::size_t>(std::max<std::int64_t>(growth.total, 0)));
  HandleTerm(EndWithChildren);
  const Pace pace(growth.rate);
  for (std::int64_t forked = 0; forked < growth.total; ++forked) {
    pace.WaitAt(static_cast<double>(forked));
    if (!AddChild()) return Complain("fork");
  }
}

void SleepForever() {
  while (true) {
    ::pause();
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace jettison::workload
