#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <new>

namespace jettison::measure {

// Nanoseconds of CLOCK_MONOTONIC: the one clock that every program of a measurement reads.
inline std::int64_t NowNanos() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What a hog tells the others about itself: a small file that they map. Zero: not yet. The layout
// is three little-endian 64-bit integers; tests/measure/node.py reads it too.
struct HogReport {
  std::atomic<std::int64_t> pid = 0;
  std::atomic<std::int64_t> ready_ns = 0;   // it holds what it was told to hold
  std::atomic<std::int64_t> signal_ns = 0;  // its handler of SIGTERM ran
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // written in a signal handler

// Maps the report at `path`, made where it does not exist; null when that fails (errno says why).
inline HogReport* MapReport(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return nullptr;
  void* area = MAP_FAILED;
  if (::ftruncate(fd, sizeof(HogReport)) == 0) {
    area = ::mmap(nullptr, sizeof(HogReport), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  // A fresh file reads as zeros, which is a report of which nothing is known yet.
  return area == MAP_FAILED ? nullptr : std::launder(static_cast<HogReport*>(area));
}

}  // namespace jettison::measure
