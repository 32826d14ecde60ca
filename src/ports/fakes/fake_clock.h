#pragma once

#include <atomic>

#include "ports/clock.h"

namespace jettison {

// A clock that stands still until the test steps it. Safe to read from any thread.
class FakeClock : public Clock {
 public:
  explicit FakeClock(Instant start = Instant{}) : now_(start.time_since_epoch()) {}

  [[nodiscard]] Instant Now() const override { return Instant(now_.load()); }
  void Set(Instant now) { now_ = now.time_since_epoch(); }
  void Advance(Duration step) { now_ = now_.load() + step; }

 private:
  std::atomic<Duration> now_;
};

}  // namespace jettison
