#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "agent/loop/background_thread.h"
#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison {

// Sends signals to groups of very many processes, on a thread of its own. Processes are signalled
// one by one if the kernel cannot kill a group as a whole, and for every signal other than SIGKILL.
// For four thousand processes this takes a tenth of a second, which is too long for the loop.
class MassSignal {
 public:
  // `groups` must outlive this, and be fit for two threads.
  explicit MassSignal(Cgroups& groups) : groups_(groups) {}

  // Whether the thread is there.
  [[nodiscard]] bool running() const { return thread_.running(); }
  // Queues the signal for the group, unless the same one waits or is being sent already. SIGKILL
  // also reaches processes that are forked meanwhile. If the same signal failed the last time, it
  // is queued again and the error is returned.
  [[nodiscard]] Result<void> Send(std::string_view path, int signal);
  // Whether a signal to the group, or to one above it, waits or is being sent.
  [[nodiscard]] bool IsSending(std::string_view path);

 private:
  using Order = std::pair<std::string, int>;  // path, signal

  void SendAll();
  [[nodiscard]] Result<void> SendOne(const Order& order);

  Cgroups& groups_;
  std::mutex mutex_;                 // guards what follows
  std::deque<Order> waiting_;        // the first one is being sent
  std::map<Order, Error> failures_;  // the last ones
  // The last member: it ends first.
  BackgroundThread thread_{
      {.name = "mass-signal",
       .without = "the agent does nothing else while it ends thousands of processes",
       .urgent = true}};
};

}  // namespace jettison
