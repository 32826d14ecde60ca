#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "agent/loop/background_thread.h"
#include "agent/loop/mailbox.h"
#include "agent/tell/kill_at_exit.h"
#include "core/config/hooks_configuration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A notice that was not delivered, and why.
struct HookFailure {
  std::string hook;
  std::string problem;
};

// Delivers notices to one hook, one after the other, on a thread of its own, because a hook may
// hang until its time limit. The destructor kills a running program, and so does any end of the
// agent.
class HookThread {
 public:
  // `failures` must outlive this.
  HookThread(HookConfig hook, Mailbox<HookFailure>& failures);
  HookThread(const HookThread&) = delete;
  HookThread& operator=(const HookThread&) = delete;
  ~HookThread();

  // Queues a notice; never waits, and starts no thread. If more than a few notices wait, the oldest
  // is dropped.
  void Tell(std::string notice);
  // Whether it has been told everything.
  [[nodiscard]] bool idle();

 private:
  void TellAll();
  [[nodiscard]] std::optional<std::string> TakeNext();
  [[nodiscard]] Result<void> Call(const std::string& notice) const;

  HookConfig hook_;
  Mailbox<HookFailure>& failures_;
  FileDescriptor stopped_;   // readable when this is being destroyed
  KillAtExit kill_at_exit_;  // of the program that is being told
  std::mutex mutex_;
  std::deque<std::string> waiting_;  // guarded by mutex_
  bool telling_ = false;             // guarded by mutex_
  bool stop_ = false;                // guarded by mutex_
  BackgroundThread thread_;          // the last member: it ends first
};

}  // namespace jettison
