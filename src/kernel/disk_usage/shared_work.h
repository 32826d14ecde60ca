#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "kernel/disk_usage/walk_job.h"

namespace jettison::disk_usage {

// Subtrees that one thread of a walk hands over to others. Each is an open directory, so only as
// many are queued as keep the other threads busy.
class SharedWork {
 public:
  // Begins a walk with one subtree, which the caller works on itself.
  void Begin();
  // Whether a helper would take another subtree. Cheap enough to be asked for each directory.
  [[nodiscard]] bool Wanted() const {
    return helpers_.load(std::memory_order_relaxed) > 0 &&
           queued_.load(std::memory_order_relaxed) < kAhead;
  }
  void Offer(Subtree subtree);
  // Reports that a subtree which was begun, taken or offered is finished.
  void Done();
  // The next subtree for the thread that began the walk. Waits while other threads work on
  // subtrees, because these may offer more. Absent when the walk is over.
  [[nodiscard]] std::optional<Subtree> Next();

  // A helper enters and leaves.
  void Join() { ++helpers_; }
  void Leave() { --helpers_; }
  // The next subtree for a helper; waits for one. Absent after Close.
  [[nodiscard]] std::optional<Subtree> NextForHelper();
  void Close();

 private:
  static constexpr std::size_t kAhead = 8;
  [[nodiscard]] std::optional<Subtree> Take();  // with mutex_ held

  std::atomic<std::size_t> helpers_ = 0;
  std::atomic<std::size_t> queued_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Subtree> queue_;
  std::size_t unfinished_ = 0;  // subtrees begun or offered
  bool closed_ = false;
};

}  // namespace jettison::disk_usage
