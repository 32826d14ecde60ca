#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/readiness/lifetime.h"
#include "pods/pod_options.h"
#include "pods/run_dependencies.h"

namespace jettison {

// A log that a running container writes.
struct RunningLog {
  std::string pod_uid;
  std::string container;
  std::string path;
};

// Keeps logs small, as the kubelet does (containerLogManager): every few seconds a log that has
// grown beyond the limit is renamed, and whoever writes it told to open a new one. Then older files
// are compressed and those that are too many deleted, beside the loop and one log at a time,
// because other work there may be urgent.
class LogRotation {
 public:
  // The logs that are written at present.
  using Running = std::function<std::vector<RunningLog>()>;
  // Has a log opened anew; kNotFound: its container has ended.
  using Reopen = std::function<void(const RunningLog&, std::function<void(const Result<void>&)>)>;

  // `dependencies` and `options` must outlive it.
  LogRotation(PodDependencies& dependencies, const PodOptions& options, Running running,
              Reopen reopen)
      : dependencies_(dependencies),
        options_(options),
        running_(std::move(running)),
        reopen_(std::move(reopen)) {}
  // From now on; nothing happens where there is no limit.
  void Start();

 private:
  void Look();
  void LookAt(const RunningLog& log);
  // `rotated`: the name that the log was given; empty: it was missing.
  void ReopenLog(const RunningLog& log, const std::string& rotated);
  void OnReopened(const RunningLog& log, const std::string& rotated, const Result<void>& outcome);
  void TidyNext();
  void Say(const std::string& path, const Error& error);

  PodDependencies& dependencies_;
  const PodOptions& options_;
  Running running_;
  Reopen reopen_;
  std::set<std::string> busy_;      // paths that are being looked at or opened again
  std::set<std::string> failing_;   // paths about which something was said
  std::deque<std::string> untidy_;  // paths of logs that have been rotated
  bool tidying_ = false;
  kernel::Readiness::Watch on_look_;
  Lifetime lifetime_;
};

}  // namespace jettison
