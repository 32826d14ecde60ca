#pragma once

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>

#include "ports/inheriting_mutex.h"

namespace jettison {

// A condition variable for an InheritingMutex, in the manner of std::condition_variable. Times are
// those of CLOCK_MONOTONIC.
class InheritingCondition {
 public:
  InheritingCondition() {
    pthread_condattr_t attributes;
    ::pthread_condattr_init(&attributes);
    ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ::pthread_cond_init(&condition_, &attributes);
    ::pthread_condattr_destroy(&attributes);
  }
  InheritingCondition(const InheritingCondition&) = delete;
  InheritingCondition& operator=(const InheritingCondition&) = delete;
  ~InheritingCondition() { ::pthread_cond_destroy(&condition_); }

  // As std::condition_variable, whose names these are.
  void notify_one() { ::pthread_cond_signal(&condition_); }
  void notify_all() { ::pthread_cond_broadcast(&condition_); }
  template <typename Predicate>
  void wait(std::unique_lock<InheritingMutex>& lock, Predicate holds) {
    while (!holds()) ::pthread_cond_wait(&condition_, lock.mutex()->native_handle());
  }
  // Whether it holds in the end.
  template <typename Predicate>
  bool wait_for(std::unique_lock<InheritingMutex>& lock, std::chrono::nanoseconds patience,
                Predicate holds) {
    const timespec until = InTheFuture(patience);
    while (!holds()) {
      const int error =
          ::pthread_cond_timedwait(&condition_, lock.mutex()->native_handle(), &until);
      if (error != 0) return holds();
    }
    return true;
  }

 private:
  [[nodiscard]] static timespec InTheFuture(std::chrono::nanoseconds patience) {
    using std::chrono::nanoseconds;
    using std::chrono::seconds;
    constexpr nanoseconds kLongest = std::chrono::hours(24 * 365);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const nanoseconds until = seconds(now.tv_sec) + nanoseconds(now.tv_nsec) +
                              std::clamp(patience, nanoseconds::zero(), kLongest);
    const auto whole = std::chrono::floor<seconds>(until);
    return {.tv_sec = whole.count(), .tv_nsec = (until - whole).count()};
  }

  pthread_cond_t condition_{};
};

}  // namespace jettison
