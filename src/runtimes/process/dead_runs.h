#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "runtimes/process/removal_job.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Deletes the files of ended runs in the background, in one child process at a time. Nobody waits
// for it. Where no process can be started, it is tried again.
class DeadRuns {
 public:
  // `context` must outlive it.
  explicit DeadRuns(RuntimeContext& context) : context_(context) {}

  // Trees that are to go, soon.
  void Add(std::vector<std::string> trees);
  // Takes the next steps. Called whenever the runtime is dispatched; the end of a deletion wakes
  // it.
  void Continue();
  // Whether something that was added is still there.
  [[nodiscard]] bool busy() const { return job_.has_value() || !waiting_.empty(); }

 private:
  void StartNext();

  RuntimeContext& context_;
  std::vector<std::string> waiting_;
  std::optional<RemovalJob> job_;
  int failures_ = 0;  // to start one, in a row
  kernel::Readiness::Watch retry_;
};

}  // namespace jettison::process
