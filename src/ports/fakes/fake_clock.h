#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "ports/clock.h"

namespace jettison {

// A clock that stands still until the test steps it. Real time follows it until StepWall is called.
// Safe to read from any thread.
class FakeClock : public Clock {
 public:
  explicit FakeClock(Instant start = Instant{}) : now_(start.time_since_epoch()) {}

  [[nodiscard]] Instant Now() const override { return Instant(now_.load()); }
  [[nodiscard]] WallTime Wall() const override {
    return WallTime(now_.load() + wall_ahead_.load());
  }
  [[nodiscard]] TimeMark Mark() const override {
    return {.boot_id = boot_id_, .since_boot = now_.load(), .wall = Wall()};
  }
  void Set(Instant now) { now_ = now.time_since_epoch(); }
  void Advance(Duration step) { now_ = now_.load() + step; }
  // Steps real time alone, as if the machine's clock were set.
  void StepWall(Duration step) { wall_ahead_ = wall_ahead_.load() + step; }
  void SetBoot(std::string boot_id) { boot_id_ = std::move(boot_id); }

 private:
  std::atomic<Duration> now_;
  std::atomic<Duration> wall_ahead_{Duration(0)};
  std::string boot_id_ = "boot";
};

// The machine's clock, for tests with processes that stamp with it.
class RealClock : public Clock {
 public:
  [[nodiscard]] Instant Now() const override {
    return Instant(Wall().time_since_epoch() - wall_ahead);
  }
  [[nodiscard]] WallTime Wall() const override {
    return WallTime(std::chrono::system_clock::now().time_since_epoch());
  }
  [[nodiscard]] TimeMark Mark() const override { return {.wall = Wall()}; }

  // How far real time has been set forward since the agent's own time began.
  Duration wall_ahead{0};
};

}  // namespace jettison
