#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "runtimes/process/removal_job.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Deletes what dead runs have left, behind the scenes: in one process at a time, however many there
// are, and without anybody who waits. Where no process can be had it is tried again.
class DeadRuns {
 public:
  // `context` must outlive it.
  explicit DeadRuns(RuntimeContext& context) : context_(context) {}

  // Trees that are to go, soon.
  void Add(std::vector<std::string> trees);
  // Does what can be done by now. Called when the runtime is, which an end of a removal sees to.
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
