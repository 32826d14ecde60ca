#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/result.h"
#include "machine/loop/job_queue.h"
#include "ports/cgroups.h"

namespace jettison {

// Sends signals to groups of very many processes, beside the loop. Processes are signalled one by
// one if the kernel cannot kill a group as a whole, and for every signal other than SIGKILL. For
// four thousand processes this takes a tenth of a second, which is too long for the loop, and a
// kill may wait for seconds for the kernel to freeze a group. Signals to groups of one pod are sent
// one after the other, so that the next pod need not wait for that. What fails beside another
// signal is sent once more: the last descriptors may serve only one of them at a time.
class MassSignal {
 public:
  // `groups` must outlive this, and be fit for several threads.
  explicit MassSignal(Cgroups& groups) : groups_(groups) {}

  // Whether there is a thread for it.
  [[nodiscard]] bool running() const { return of_no_pod_.running(); }
  // Queues the signal for the group, unless the same one waits or is being sent already. SIGKILL
  // also reaches processes that are forked meanwhile. If the same signal failed the last time, it
  // is queued again and the error is returned.
  [[nodiscard]] Result<void> Send(std::string_view path, int signal);
  // Whether a signal to the group, or to one above it, waits or is being sent.
  [[nodiscard]] bool IsSending(std::string_view path);

 private:
  using Order = std::pair<std::string, int>;  // path, signal

  void ForgetIdlePods();
  void Carry(const Order& order);
  [[nodiscard]] Result<void> SendOne(const Order& order);

  Cgroups& groups_;
  std::atomic<int> sending_ = 0;
  std::mutex mutex_;                 // guards orders and failures
  std::set<Order> orders_;           // until they have been sent
  std::map<Order, Error> failures_;  // the last ones
  JobQueue of_no_pod_{Threads::kEnding};
  // The last member: they end first.
  std::map<std::string, JobQueue, std::less<>> by_pod_;
};

}  // namespace jettison
