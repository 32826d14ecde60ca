#include "agent/background_thread.h"

#include <utility>

#include "agent/signals_blocked.h"

namespace jettison {

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::Do(Job job) {
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(job);
  }
  wake_.notify_one();
  if (thread_.joinable()) return;
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { Work(); });
}

void BackgroundThread::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || next_; });
    if (stop_) return;
    const Job job = std::move(*next_);
    next_.reset();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace jettison
