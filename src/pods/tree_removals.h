#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/child_job.h"
#include "pods/run_edges.h"

namespace jettison {

// Deletes trees of files in the background, in one child process at a time. Nobody waits for it.
// Where no process can be started, or one fails, it is tried again. Only names that no pod is ever
// given may be added, so that nothing of a later pod is deleted.
class TreeRemovals {
 public:
  // `edges` must outlive it.
  explicit TreeRemovals(PodEdges& edges) : edges_(edges) {}

  // Trees that are to go, soon.
  void Add(std::vector<std::string> trees);
  // Takes the next steps. Called whenever the runtime is dispatched; the end of a deletion wakes
  // it.
  void Continue();
  // Whether something that was added is still there. What could not be deleted counts for some
  // seconds only, because that may never be possible.
  [[nodiscard]] bool busy() const;

 private:
  void OnEnded(const Result<void>& outcome);
  void TryAgainLater(std::vector<std::string> trees, const Error& error);

  PodEdges& edges_;
  std::vector<std::string> waiting_;
  std::vector<std::string> under_way_;  // the trees of the job
  std::unique_ptr<ChildJob> job_;
  std::vector<std::string> failed_;  // the trees of jobs that failed
  int failures_ = 0;                 // since all was deleted
  kernel::Readiness::Watch again_;
};

// Deletes the logs of one run in a folder of its container, rotated ones included. Of the disk.
void RemoveLogsOfRun(const std::string& folder, int attempt);

// A name in `folder` that no pod is ever given, for what was called `name` until `now`.
[[nodiscard]] std::string DoomedName(const std::string& folder, std::string_view name, Instant now);

}  // namespace jettison
