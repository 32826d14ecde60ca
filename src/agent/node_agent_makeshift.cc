// What the agent does where the kernel has no thread or descriptor to spare.
#include <string>
#include <utility>

#include "agent/background_thread.h"
#include "agent/node_agent.h"

namespace jettison {
namespace {

constexpr Duration kByClock = std::chrono::milliseconds(100);
constexpr Duration kThreadsAgain = std::chrono::seconds(10);

}  // namespace

void NodeAgent::Attend(int fd, EventLoop::Callback callback) {
  const auto watched = loop_->Watch(fd, callback);
  if (watched) return;
  if (by_clock_.empty()) {
    log_->Warn("a descriptor cannot be had or waited for; it is looked at every 100 ms instead",
               {{"err", watched.error().message}, {"mend", "raise LimitNOFILE= of the agent"}});
  }
  by_clock_.push_back(std::move(callback));
  next_look_by_clock_ = machine_->clock.Now();
}

void NodeAgent::LookByClock(Instant now) {
  if (!next_look_by_clock_ || now < *next_look_by_clock_) return;
  next_look_by_clock_ = now + kByClock;
  for (const EventLoop::Callback& callback : by_clock_) callback();
}

// After everything else of a turn: nothing that has to be done at once waits for it.
void NodeAgent::LookAfterThreads(Instant now) {
  if (next_threads_ && *next_threads_ <= now) {
    next_threads_.reset();
    for (const std::string& name : StartMissingThreads()) {
      log_->Info("a thread that was missing is there now", {{"thread", name}});
    }
  }
  for (const MissingThread& missing : TakeMissingThreads()) {
    log_->Warn("a thread cannot be started; the agent goes on without it and tries again",
               {{"thread", missing.purpose.name},
                {"without", missing.purpose.without},
                {"err", missing.error.message},
                {"mend", "raise pids.max of the agent's group (TasksMax= of its unit)"}});
  }
  if (!next_threads_ && AnyThreadMissing()) next_threads_ = now + kThreadsAgain;
}

}  // namespace jettison
