#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent/loop/job_queue.h"
#include "agent/loop/mailbox.h"
#include "core/config/agent_config.h"

namespace jettison {

// A notice that was not delivered, and why.
struct HookFailure {
  std::string hook;
  std::string problem;
};

// Delivers notices to one hook, one after the other, beside the loop, because a hook may hang until
// its time limit; the next hook has its turn after each. The destructor stops it and does not wait:
// a thread is left behind with the notice that it is delivering. A running program is killed then,
// and at any end of the agent.
class HookThread {
 public:
  // `failures` is shared with the thread.
  HookThread(HookConfig hook, std::shared_ptr<Mailbox<HookFailure>> failures);
  HookThread(const HookThread&) = delete;
  HookThread& operator=(const HookThread&) = delete;
  ~HookThread() { Stop(); }

  // Queues a notice; never waits, and starts no thread. While 32 notices wait, others are dropped.
  void Tell(std::string notice);
  // Whether it has been told everything.
  [[nodiscard]] bool idle() const;
  // Has a running program killed, and drops the notices that wait. Never waits.
  void Stop();
  // After Stop: waits for the notice that is being delivered, but not beyond `end`. No notice may
  // be queued after that.
  void AwaitEnd(std::chrono::steady_clock::time_point end);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread
  JobQueue jobs_{Threads::kHooks, AtEnd::kLeave};
};

}  // namespace jettison
