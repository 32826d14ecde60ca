#pragma once

#include <ctime>

#include "ports/clock.h"

namespace jettison {

// This machine's time. Now() is the wall clock as it was when the agent started, moved on by
// CLOCK_BOOTTIME, which nobody sets and which counts while the machine is suspended. All of a
// process tell the same.
class SteadyClock : public Clock {
 public:
  SteadyClock();
  [[nodiscard]] Instant Now() const override {
    return Instant(start_.wall.time_since_epoch() + (SinceBoot() - start_.since_boot));
  }
  [[nodiscard]] WallTime Wall() const override { return WallTime(Read(CLOCK_REALTIME)); }
  [[nodiscard]] TimeMark Mark() const override {
    return {.boot_id = start_.boot_id, .since_boot = SinceBoot(), .wall = Wall()};
  }

  // Since the boot of the machine, while it was suspended included.
  [[nodiscard]] static Duration SinceBoot() { return Read(CLOCK_BOOTTIME); }
  // How long the machine has been suspended since its boot.
  [[nodiscard]] static Duration Slept() { return SinceBoot() - Read(CLOCK_MONOTONIC); }

 private:
  [[nodiscard]] static Duration Read(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
  }

  [[nodiscard]] static const TimeMark& StartOfThisProcess();

  TimeMark start_;
};

}  // namespace jettison
