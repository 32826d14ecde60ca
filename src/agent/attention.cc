#include "agent/attention.h"

#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kByClock = std::chrono::milliseconds(100);

}  // namespace

void Attention::To(int fd, EventLoop::Callback callback) {
  const auto watched = loop_.Watch(fd, callback);
  if (watched) return;
  if (by_clock_.empty()) {
    log_.Warn(
        "a file descriptor cannot be opened or watched; the agent checks it every 100 ms instead",
        {{"err", watched.error().message}, {"mend", "raise LimitNOFILE= of the agent"}});
  }
  by_clock_.push_back(std::move(callback));
  next_ = clock_.Now();
}

void Attention::Advance(Instant now) {
  if (!next_ || now < *next_) return;
  next_ = now + kByClock;
  for (const EventLoop::Callback& callback : by_clock_) callback();
}

}  // namespace jettison
