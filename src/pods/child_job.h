#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/units/result.h"
#include "kernel/readiness/readiness.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Runs work on files in a forked child, so that the agent never waits for the disk. Destroying the
// job ends the child, and so does the end of the agent or of the thread that started it, however
// these end.
class ChildJob {
 public:
  using Done = std::function<void(Result<void>)>;
  // Runs in the child, gives an errno or 0. The other threads are missing there and may have held
  // any lock: it allocates nothing and calls only what is async-signal-safe. The descriptors of the
  // agent are closed.
  using Work = std::function<int()>;

  // Starts it; `what` names it in errors ("delete files"). `done` is called once, from Dispatch.
  // Fails where no process can be made.
  [[nodiscard]] static Result<std::unique_ptr<ChildJob>> Start(kernel::Readiness& readiness,
                                                               std::string what, const Work& work,
                                                               Done done);
  ChildJob(const ChildJob&) = delete;
  ChildJob& operator=(const ChildJob&) = delete;
  ~ChildJob();

  // Ends the child, wherever it is, and does not wait: `done` is still called.
  void Kill();
  [[nodiscard]] bool running() const { return static_cast<bool>(child_); }

 private:
  ChildJob(FileDescriptor child, std::string what, Done done)
      : child_(std::move(child)), what_(std::move(what)), done_(std::move(done)) {}
  void OnEnded();

  FileDescriptor child_;
  std::string what_;
  Done done_;
  kernel::Readiness::Watch on_end_;
};

}  // namespace jettison
