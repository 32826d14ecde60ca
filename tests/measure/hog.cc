// usage: measure_hog REPORT HOLD_MIB [GATE RATE_MIB_S TOTAL_MIB [DELAY_S]]
//
// The container of every pod that is measured. It takes HOLD_MIB at once and says so in REPORT.
// With a GATE it then waits until that file exists, and for DELAY seconds more, and grows by RATE
// until it holds TOTAL. In the end it sleeps. SIGTERM: it writes down when that came, and exits
// with status 0.

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tests/measure/report.h"

namespace jettison::measure {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostAtOnce =
    kMiB / 4;  // little beside what grows in the time that is measured
constexpr double kStepSeconds = 0.002;

HogReport* report = nullptr;

void OnTerm(int /*signal*/) {
  report->signal_ns.store(NowNanos(), std::memory_order_release);
  ::_exit(0);
}

void HandleTerm() {
  struct sigaction action {};
  action.sa_handler = OnTerm;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void SleepUntil(std::int64_t due) {
  const timespec at{.tv_sec = due / kNanosPerSecond, .tv_nsec = due % kNanosPerSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

// Memory that is charged page by page as it is touched; null when there is no room for it.
char* Reserve(std::size_t bytes) {
  void* area = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return nullptr;
  ::madvise(area, bytes, MADV_NOHUGEPAGE);  // growth by 2 MiB at a time would blur the crossing
  return static_cast<char*>(area);
}

void Touch(char* area, std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; at += kPage) area[at] = 1;
}

void WaitFor(const char* gate) {
  constexpr std::int64_t kBetweenLooks = 20'000'000;  // many pods may wait
  struct stat found {};
  while (::stat(gate, &found) != 0) SleepUntil(NowNanos() + kBetweenLooks);
}

// A steady rate on the average: what came late is caught up with.
void Grow(char* area, std::size_t from, std::size_t to, double bytes_per_second) {
  const auto pages = static_cast<std::size_t>(bytes_per_second * kStepSeconds) / kPage;
  const std::size_t step = std::clamp(pages * kPage, kPage, kMostAtOnce);
  const std::int64_t start = NowNanos();
  for (std::size_t at = from; at < to; at += step) {
    const double seconds = static_cast<double>(at - from) / bytes_per_second;
    const std::int64_t due = start + static_cast<std::int64_t>(seconds * 1e9);
    if (due > NowNanos()) SleepUntil(due);
    Touch(area, at, std::min(at + step, to));
  }
}

}  // namespace
}  // namespace jettison::measure

int main(int argc, char** argv) {
  using namespace jettison::measure;
  if (argc != 3 && argc != 6 && argc != 7) {
    std::fprintf(stderr,
                 "usage: measure_hog REPORT HOLD_MIB [GATE RATE_MIB_S TOTAL_MIB [DELAY_S]]\n");
    return 2;
  }
  const bool grows = argc >= 6;
  const double delay = argc == 7 ? std::strtod(argv[6], nullptr) : 0;
  const std::size_t hold = std::strtoull(argv[2], nullptr, 10) * kMiB;
  const std::size_t total = grows ? std::strtoull(argv[5], nullptr, 10) * kMiB : hold;
  report = MapReport(argv[1]);
  char* area = Reserve(total + 1);  // an empty mapping is none
  if (report == nullptr || area == nullptr) {
    std::perror(report == nullptr ? argv[1] : "mmap");
    return 1;
  }
  HandleTerm();
  Touch(area, 0, hold);
  report->pid.store(::getpid(), std::memory_order_relaxed);
  report->ready_ns.store(NowNanos(), std::memory_order_release);
  if (grows) {
    WaitFor(argv[3]);
    SleepUntil(NowNanos() + static_cast<std::int64_t>(delay * 1e9));
    Grow(area, hold, total, std::strtod(argv[4], nullptr) * static_cast<double>(kMiB));
  }
  for (;;) ::pause();
}
