#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/readiness/lifetime.h"
#include "pods/child_job.h"
#include "runtimes/cri/base/runtime_context.h"

namespace jettison::cri {

// A log that a running container writes.
struct RunningLog {
  std::string container_id;
  std::string path;
};

// Keeps logs small, as the kubelet does (containerLogManager): every few seconds a log that has
// grown beyond the limit is renamed, and the runtime told to open a new one. A child compresses
// older files and deletes those that are too many, one log after the other.
class LogRotation {
 public:
  // The logs that are written at present.
  using Running = std::function<std::vector<RunningLog>()>;

  LogRotation(RuntimeContext& context, Running running)
      : context_(context), running_(std::move(running)) {}
  // From now on; nothing happens where there is no limit.
  void Start();

 private:
  void Look();
  void LookAt(const RunningLog& log);
  void Rotate(const RunningLog& log);
  // `rotated`: the name that the log was given; empty: it was missing.
  void Reopen(const RunningLog& log, const std::string& rotated);
  void OnReopened(const RunningLog& log, const std::string& rotated, const Result<void>& outcome);
  void TidyNext();
  void Say(const std::string& path, const Error& error);

  RuntimeContext& context_;
  Running running_;
  std::set<std::string> busy_;      // paths that are being renamed or opened again
  std::deque<std::string> untidy_;  // paths of logs that have been rotated
  std::set<std::string> failing_;   // paths about which something was said
  std::unique_ptr<ChildJob> job_;
  kernel::Readiness::Watch on_look_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
