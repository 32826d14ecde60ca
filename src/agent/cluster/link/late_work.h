#pragma once

#include <functional>
#include <memory>

#include "agent/loop/background_thread.h"

namespace jettison {

// The thread on which what the API server's client needs is read and looked up: token files,
// certificates, the addresses of the server. A file system or a resolver that hangs keeps this
// thread, and no call. It does one work at a time, in order.
class LateWork {
 public:
  LateWork();
  LateWork(const LateWork&) = delete;
  LateWork& operator=(const LateWork&) = delete;

  // Never waits. The work must own all that it uses: the thread is left behind with it.
  void Do(std::function<void()> work);

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;  // with the thread
  BackgroundThread thread_;
};

}  // namespace jettison
