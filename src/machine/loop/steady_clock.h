#pragma once

#include <ctime>

#include "ports/clock.h"

namespace jettison {

// This machine's time. Now() is the wall clock as it was when the agent started, moved on by
// CLOCK_MONOTONIC, which nobody sets and which stands still while the machine is suspended. All of
// a process tell the same.
class SteadyClock : public Clock {
 public:
  SteadyClock();
  [[nodiscard]] Instant Now() const override {
    return Instant(start_.mark.wall.time_since_epoch() + (Awake() - start_.awake));
  }
  [[nodiscard]] WallTime Wall() const override { return WallTime(Read(CLOCK_REALTIME)); }
  [[nodiscard]] TimeMark Mark() const override {
    return {.boot_id = start_.mark.boot_id, .since_boot = Read(CLOCK_BOOTTIME), .wall = Wall()};
  }

  // Since the boot of the machine, without the time for which it was suspended.
  [[nodiscard]] static Duration Awake() { return Read(CLOCK_MONOTONIC); }

 private:
  struct Start {
    TimeMark mark;
    Duration awake{0};
  };
  [[nodiscard]] static Duration Read(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
  }

  [[nodiscard]] static const Start& StartOfThisProcess();

  Start start_;
};

}  // namespace jettison
