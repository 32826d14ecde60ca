#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernel/readiness/readiness.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Reads pods again that cannot be read, beside the loop: a drive may try for a long time to read a
// bad sector. Removals wait for the same thread, so one pod is read at a time, that which has been
// due for longest, and a long pause follows a reading that took long.
class UnreadReadings {
 public:
  // The error says what the disk did not give. The pod of this UID may have become another one, or
  // none, since the reading began.
  using Done = std::function<void(const std::string& uid, const Result<void>& read,
                                  Unread::Readable readable)>;

  // `context` and `pods` must outlive this.
  UnreadReadings(RuntimeContext& context, Pods& pods, Done done)
      : context_(context), pods_(pods), done_(std::move(done)) {}

  // The pod is due in 1 s.
  void Enter(Unread& unread) const;
  // Waits for the next pod that is due, if no reading is under way. It is to be called whenever
  // there may be a pod to read that there was not before, and after `done`.
  void Schedule();
  [[nodiscard]] bool IsReading(const std::string& uid) const;

 private:
  // Null: there is none, or it is not unread any more.
  [[nodiscard]] Unread* Find(const std::string& uid) const;
  struct Due {
    std::string uid;
    Instant at;
  };
  [[nodiscard]] std::optional<Due> Next() const;
  void ReadNext();
  void Read(const std::string& uid);
  void OnRead(const Result<void>& read, Unread::Readable readable);

  RuntimeContext& context_;
  Pods& pods_;
  Done done_;
  kernel::Readiness::Watch on_due_;
  struct Reading {
    std::string uid;
    Instant began;
  };
  std::optional<Reading> reading_;        // the disk has not answered
  Instant rests_until_ = Instant::min();  // no pod is read before
};

}  // namespace jettison::process
