#include "kernel/disk_usage/shared_work.h"

#include <utility>

namespace jettison::disk_usage {

void SharedWork::Begin() {
  const std::lock_guard lock(mutex_);
  unfinished_ = 1;
}

void SharedWork::Offer(Subtree subtree) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(subtree));
    queued_.store(queue_.size(), std::memory_order_relaxed);
    ++unfinished_;
  }
  changed_.notify_one();
}

void SharedWork::Done() {
  bool over = false;
  {
    const std::lock_guard lock(mutex_);
    over = --unfinished_ == 0;
  }
  if (over) changed_.notify_all();
}

std::optional<Subtree> SharedWork::Take() {
  if (queue_.empty()) return std::nullopt;
  std::optional<Subtree> subtree(std::move(queue_.front()));
  queue_.pop_front();
  queued_.store(queue_.size(), std::memory_order_relaxed);
  return subtree;
}

std::optional<Subtree> SharedWork::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !queue_.empty() || unfinished_ == 0; });
  return Take();
}

std::optional<Subtree> SharedWork::NextForHelper() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !queue_.empty() || closed_; });
  return Take();
}

void SharedWork::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace jettison::disk_usage
