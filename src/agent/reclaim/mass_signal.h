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

// Signals groups that have very many processes on a thread of its own. Where the kernel cannot kill
// a group as a whole, and for any signal but SIGKILL, four thousand processes take a tenth of a
// second, within which something else may run short.
class MassSignal {
 public:
  // `groups` must outlive this, and be fit for two threads.
  explicit MassSignal(Cgroups& groups) : groups_(groups) {}

  // Whether the thread is there.
  [[nodiscard]] bool running() const { return thread_.running(); }
  // Has the signal sent to the group, after those that were asked for before; one that waits
  // already, or is being sent, is left at that. SIGKILL reaches those forked meanwhile, too. Fails
  // with what went wrong with the same the last time, and tries it again.
  [[nodiscard]] Result<void> Send(std::string_view path, int signal);

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
       .without = "the agent stands still while it ends thousands of processes",
       .urgent = true}};
};

}  // namespace jettison
