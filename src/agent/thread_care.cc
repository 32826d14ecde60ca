#include "agent/thread_care.h"

#include <chrono>
#include <string>

#include "agent/loop/background_thread.h"

namespace jettison {
namespace {

constexpr Duration kAgain = std::chrono::seconds(10);

}  // namespace

void ThreadCare::Advance(Instant now) {
  if (next_ && *next_ <= now) {
    next_.reset();
    for (const std::string& name : StartMissingThreads()) {
      log_.Info("a thread that was missing has been started", {{"thread", name}});
    }
  }
  for (const MissingThread& missing : TakeMissingThreads()) {
    log_.Warn("a thread cannot be started; the agent goes on without it and tries again",
              {{"thread", missing.purpose.name},
               {"without", missing.purpose.without},
               {"err", missing.error.message},
               {"mend", "raise pids.max of the agent's group (TasksMax= of its unit)"}});
  }
  if (!next_ && AnyThreadMissing()) next_ = now + kAgain;
}

}  // namespace jettison
