#pragma once

#include <pthread.h>

#include <csignal>

namespace jettison {

// Blocks every signal on the calling thread while this object lives. Threads that start meanwhile
// inherit the mask, so that signals are delivered to the event loop.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace jettison
