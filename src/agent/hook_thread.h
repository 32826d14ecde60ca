#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "agent/mailbox.h"
#include "config/hooks_configuration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What became of a notice that did not arrive.
struct HookFailure {
  std::string hook;
  std::string problem;
};

// Tells one hook, notice by notice, on a thread of its own: it may hang for its whole time limit.
// The thread starts with the first notice; destroying this kills the program that is being told.
class HookThread {
 public:
  // `failures` must outlive this.
  HookThread(HookConfig hook, Mailbox<HookFailure>& failures);
  HookThread(const HookThread&) = delete;
  HookThread& operator=(const HookThread&) = delete;
  ~HookThread();

  // Never waits. Of more than a few that wait, the oldest is given up.
  void Tell(std::string notice);

 private:
  void Work();
  [[nodiscard]] Result<void> Call(const std::string& notice) const;

  HookConfig hook_;
  Mailbox<HookFailure>& failures_;
  FileDescriptor stopped_;  // readable when this is being destroyed
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> waiting_;  // guarded by mutex_
  bool stop_ = false;                // guarded by mutex_
  std::thread thread_;
};

}  // namespace jettison
