#include "cli/workload_kinds.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison::workload {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
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
  fmt::print(stderr, "{}: {}\n", what, std::strerror(errno));
  std::fflush(stderr);
}

void ExitAtOnce(int /*signal*/) {
  ::_exit(0);
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

[[noreturn]] void SleepAsChild(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it ended before the line above
  SleepForever();
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
  const pid_t parent = ::getpid();
  const Pace pace(growth.rate);
  for (std::int64_t forked = 0; forked < growth.total; ++forked) {
    pace.WaitAt(static_cast<double>(forked));
    const pid_t child = ::fork();
    if (child == 0) SleepAsChild(parent);
    if (child < 0) return Complain("fork");
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
