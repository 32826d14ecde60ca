#include "agent/background_thread.h"

#include <pthread.h>

#include <csignal>
#include <utility>

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
  // A thread inherits the mask: signals stay with the loop.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
