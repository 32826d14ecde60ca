#include "agent/ending.h"

#include <sys/eventfd.h>

#include <chrono>

namespace jettison {
namespace {

// How long a requested end waits for calls that create something.
constexpr Duration kMakingPatience = std::chrono::seconds(5);

}  // namespace

Ending::Ending(EndingDependencies dependencies)
    : dependencies_(dependencies), asked_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Ending::Ask() {
  asked_ = true;
  ::eventfd_write(asked_fd_.get(), 1);
}

void Ending::Take(bool listed) {
  eventfd_t count = 0;
  ::eventfd_read(asked_fd_.get(), &count);
  if (!asked_.exchange(false)) return;
  if (!dependencies_.stop_pods || !listed) return EndWhenNothingIsHalfMade();
  if (!stopping_pods_) dependencies_.log.Info("ending every pod before the agent stops");
  stopping_pods_ = true;
  dependencies_.pods.StopAll(dependencies_.clock.Now());
}

// Some runtimes would leave a container that is just being started without a process. A second
// request to end does not wait.
void Ending::EndWhenNothingIsHalfMade() {
  dependencies_.runtime.Drain();
  quits_ = !dependencies_.runtime.IsMaking() || quit_at_.has_value();
  if (quits_) return;
  quit_at_ = dependencies_.clock.Now() + kMakingPatience;
  dependencies_.log.Info("waiting for what the container runtime is making",
                         {{"atMost", FormatDuration(kMakingPatience)}});
}

bool Ending::IsOver(Instant now) const {
  return quits_ || (quit_at_ && (*quit_at_ <= now || !dependencies_.runtime.IsMaking())) ||
         (stopping_pods_ && !dependencies_.pods.AnyOnNode());
}

}  // namespace jettison
