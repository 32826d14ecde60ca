#pragma once

#include <future>
#include <memory>

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
    clock_.reset();
    gone_->get_future().wait();
  }

  [[nodiscard]] const std::shared_ptr<const SteadyClock>& clock() const { return clock_; }

 private:
  // Set when nobody has the clock any more.
  std::shared_ptr<std::promise<void>> gone_ = std::make_shared<std::promise<void>>();
  std::shared_ptr<const SteadyClock> clock_{new SteadyClock,
                                            [gone = gone_](const SteadyClock* clock) {
                                              delete clock;
                                              gone->set_value();
                                            }};
};

}  // namespace jettison
