#include "agent/upkeep.h"

#include <sys/eventfd.h>

#include <chrono>
#include <utility>

#include "machine/loop/job_queue.h"

namespace jettison {
namespace {

constexpr Duration kWorthSaying = std::chrono::seconds(1);

constexpr Duration kCareEvery = std::chrono::seconds(10);

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
  if (!dependencies_.stop_pods || !listed) {
    quits_ = true;
    return;
  }
  if (!stopping_pods_) dependencies_.log.Info("ending every pod before the agent stops");
  stopping_pods_ = true;
  dependencies_.pods.StopAll(dependencies_.clock.Now());
}

bool Ending::IsOver() const {
  return quits_ || (stopping_pods_ && !dependencies_.pods.AnyOnNode());
}

Duration SuspendWatch::Look() {
  const Duration now_slept = SteadyClock::Slept();
  Duration slept = now_slept - std::exchange(slept_, now_slept);
  if (slept < kWorthSaying) slept = Duration{0};
  if (slept > Duration{0}) {
    log_.Info("the machine was suspended", {{"for", FormatDuration(slept)}});
  }
  return slept;
}

void ThreadCare::Advance(Instant now) {
  if (next_ && now < *next_) return;
  next_ = now + kCareEvery;
  std::set<std::string> missing;
  for (const MissingThread& each : CareForThreads()) {
    missing.insert(each.name);
    if (missing_.contains(each.name)) continue;
    log_.Warn("a thread cannot be started; the agent goes on without it and tries again",
              {{"thread", each.name},
               {"err", each.error.message},
               {"mend", "raise pids.max of the agent's group (TasksMax= of its unit)"}});
  }
  for (const std::string& name : missing_) {
    if (missing.contains(name)) continue;
    log_.Info("a thread that was missing has been started", {{"thread", name}});
  }
  missing_ = std::move(missing);
}

}  // namespace jettison
