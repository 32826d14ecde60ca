#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "machine/loop/steady_clock.h"

namespace jettison {

// The clock of a link under test. A link does not wait for its thread, which has the clock, too;
// the test does, because the thread must not outlive the program's static objects.
class LinkClock {
 public:
  LinkClock() = default;
  LinkClock(const LinkClock&) = delete;
  LinkClock& operator=(const LinkClock&) = delete;
  ~LinkClock() {
    while (clock_.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  [[nodiscard]] const std::shared_ptr<const SteadyClock>& clock() const { return clock_; }

 private:
  std::shared_ptr<const SteadyClock> clock_ = std::make_shared<SteadyClock>();
};

}  // namespace jettison
