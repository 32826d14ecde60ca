#pragma once

#include <pthread.h>

namespace jettison {

// A mutex for what the loop shares with threads of lower priority. A thread that holds it has the
// priority of the most urgent one that waits for it. With a std::mutex the loop would wait behind
// all that compete with that thread for a processor: 45 ms beside four busy processes.
class InheritingMutex {
 public:
  InheritingMutex() {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    ::pthread_mutex_init(&mutex_, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
  }
  InheritingMutex(const InheritingMutex&) = delete;
  InheritingMutex& operator=(const InheritingMutex&) = delete;
  ~InheritingMutex() { ::pthread_mutex_destroy(&mutex_); }

  // As std::mutex, whose names these are.
  void lock() { ::pthread_mutex_lock(&mutex_); }
  void unlock() { ::pthread_mutex_unlock(&mutex_); }
  [[nodiscard]] pthread_mutex_t* native_handle() { return &mutex_; }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace jettison
