// usage: measure_stubborn REPORT HOLD_MIB GATE RATE_MIB_S TOTAL_MIB
//
// A hog that ignores SIGTERM and forks: it takes HOLD_MIB and says so in REPORT, waits until GATE
// exists, and from then on has children that hold CHILD_MIB each, so many that all together grow by
// RATE until they hold TOTAL. They ignore SIGTERM as well, and sleep when they have their part.

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/measure/report.h"

namespace jettison::measure {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kChildMiB = 8;

void Take(std::size_t mib) {
  void* area = ::mmap(nullptr, mib * kMiB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return;
  ::madvise(area, mib * kMiB, MADV_NOHUGEPAGE);
  std::memset(area, 1, mib * kMiB);
}

void SleepUntil(std::int64_t due) {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  const timespec at{.tv_sec = due / kNanosPerSecond, .tv_nsec = due % kNanosPerSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
  }
}

void ForkUntil(std::size_t total_mib, double mib_per_second) {
  const std::int64_t start = NowNanos();
  for (std::size_t taken = 0; taken < total_mib; taken += kChildMiB) {
    SleepUntil(start +
               static_cast<std::int64_t>(static_cast<double>(taken) / mib_per_second * 1e9));
    if (::fork() != 0) continue;
    Take(kChildMiB);
    for (;;) ::pause();
  }
}

}  // namespace
}  // namespace jettison::measure

int main(int argc, char** argv) {
  using namespace jettison::measure;
  if (argc != 6) {
    std::fprintf(stderr, "usage: measure_stubborn REPORT HOLD_MIB GATE RATE_MIB_S TOTAL_MIB\n");
    return 2;
  }
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  HogReport* report = MapReport(argv[1]);
  if (report == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  Take(std::strtoull(argv[2], nullptr, 10));
  report->pid.store(::getpid(), std::memory_order_relaxed);
  report->ready_ns.store(NowNanos(), std::memory_order_release);
  struct stat found {};
  while (::stat(argv[3], &found) != 0) SleepUntil(NowNanos() + 1'000'000);
  ForkUntil(std::strtoull(argv[5], nullptr, 10), std::strtod(argv[4], nullptr));
  for (;;) ::pause();
}
