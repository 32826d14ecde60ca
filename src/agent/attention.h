#pragma once

#include <optional>
#include <vector>

#include "agent/log/log.h"
#include "agent/loop/event_loop.h"
#include "core/units/duration.h"
#include "ports/clock.h"

namespace jettison {

// Has the loop watch descriptors. A descriptor that cannot be watched, because the kernel lacks
// resources, is served every 100 ms instead.
class Attention {
 public:
  // Everything must outlive this.
  Attention(EventLoop& loop, const Log& log, const Clock& clock)
      : loop_(loop), log_(log), clock_(clock) {}

  // Calls back while `fd` is readable, or, if it cannot be watched, every 100 ms.
  void To(int fd, EventLoop::Callback callback);
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

 private:
  EventLoop& loop_;
  const Log& log_;
  const Clock& clock_;
  std::vector<EventLoop::Callback> by_clock_;
  std::optional<Instant> next_;
};

}  // namespace jettison
