#include "agent/thread_care.h"

#include <chrono>
#include <utility>

#include "agent/loop/job_queue.h"

namespace jettison {
namespace {

constexpr Duration kCareEvery = std::chrono::seconds(10);

}  // namespace

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
