#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/child_job.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Deletes the files of ended runs in the background, in one child process at a time. Nobody waits
// for it. Where no process can be started, or one fails, it is tried again.
class DeadRuns {
 public:
  // `context` must outlive it.
  explicit DeadRuns(RuntimeContext& context) : context_(context) {}

  // Trees that are to go, soon.
  void Add(std::vector<std::string> trees);
  // Drops what is below this folder: somebody else deletes it, and another pod may use it then. A
  // process that is deleting something of it is killed, and another one goes on with the rest.
  void LeaveOut(std::string_view folder);
  // Takes the next steps. Called whenever the runtime is dispatched; the end of a deletion wakes
  // it.
  void Continue();
  // Whether something that was added is still there. What could not be deleted counts for some
  // seconds only, because that may never be possible.
  [[nodiscard]] bool busy() const;

 private:
  void StartNext();
  void OnJobEnded(const Result<void>& outcome);

  RuntimeContext& context_;
  std::vector<std::string> waiting_;
  std::vector<std::string> under_way_;  // the trees of the job
  std::unique_ptr<ChildJob> job_;
  bool killed_ = false;  // the job, because of a tree that it was not to delete any more
  int failures_ = 0;     // to start one, in a row
  kernel::Readiness::Watch retry_;
  std::vector<std::string> failed_;  // the trees of jobs that failed
  int failed_jobs_ = 0;              // since all was deleted
  kernel::Readiness::Watch again_;
};

}  // namespace jettison::process
