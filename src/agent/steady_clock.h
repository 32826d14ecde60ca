#pragma once

#include <chrono>

#include "ports/clock.h"

namespace jettison {

// The wall clock as it was when the agent started, moved on by the monotonic one: instants that
// people recognise and that never step back, whatever is done to the machine's clock meanwhile.
class SteadyClock : public Clock {
 public:
  [[nodiscard]] Instant Now() const override {
    return wall_ + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Instant wall_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
};

}  // namespace jettison
