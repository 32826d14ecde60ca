#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/loop/job_queue.h"
#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison {

// Sends signals to groups of very many processes, beside the loop. Processes are signalled
// one by one if the kernel cannot kill a group as a whole, and for every signal other than SIGKILL.
// For four thousand processes this takes a tenth of a second, which is too long for the loop, and a
// kill may wait for seconds for the kernel to freeze a group. Two pods are signalled at a time, so
// that the next one need not wait for that. Signals to groups of the same pod are sent one after
// the other. What fails beside another signal is sent once
// more: the last descriptors serve one of them at a time.
class MassSignal {
 public:
  // Pods that are signalled at the same time.
  static constexpr std::size_t kPods = 2;

  // `groups` must outlive this, and be fit for several threads.
  explicit MassSignal(Cgroups& groups) : groups_(groups) {}

  // Whether there is a thread for it.
  [[nodiscard]] bool running() const { return senders_[0].jobs.running(); }
  // Queues the signal for the group, unless the same one waits or is being sent already. SIGKILL
  // also reaches processes that are forked meanwhile. If the same signal failed the last time, it
  // is queued again and the error is returned.
  [[nodiscard]] Result<void> Send(std::string_view path, int signal);
  // Whether a signal to the group, or to one above it, waits or is being sent.
  [[nodiscard]] bool IsSending(std::string_view path);

 private:
  using Order = std::pair<std::string, int>;  // path, signal
  struct Entry {
    Order order;
    bool is_taken = false;  // a thread sends it
    bool again = false;     // it has failed beside another one, and is sent once more
  };

  struct Sender {
    JobQueue jobs{Threads::kEnding};
    bool is_busy = false;  // guarded by mutex_: it sends, or is about to
  };

  // One for one more pod; null: those that are busy will find its order.
  [[nodiscard]] Sender* TakeSender();
  [[nodiscard]] bool IsFirstOfItsPod(const Entry& entry) const;
  void SendAll(Sender& sender);
  [[nodiscard]] std::optional<Order> TakeNext();
  void Finish(const Order& order, const Result<void>& sent);
  [[nodiscard]] Result<void> SendOne(const Order& order);

  Cgroups& groups_;
  std::mutex mutex_;                 // guards what follows
  std::deque<Entry> orders_;         // by their arrival, until they have been sent
  std::map<Order, Error> failures_;  // the last ones
  // The last member: they end first.
  std::array<Sender, kPods> senders_;
};

}  // namespace jettison
