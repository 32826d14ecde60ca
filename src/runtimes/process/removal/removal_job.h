#pragma once

#include <optional>

#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/runs/shim_order.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

// Deletes trees of files in a process of its own, however many there are.
class RemovalJob {
 public:
  // Starts it; fails where no process can be made.
  [[nodiscard]] static Result<RemovalJob> Start(RuntimeContext& context, const RemoveOrder& order);

  // Whether it is over, and then what could not be deleted. A finished job wakes the runtime.
  [[nodiscard]] std::optional<Result<void>> Outcome();
  // Ends it, wherever it is. Its outcome comes soon, and is a failure unless it was over already.
  void Kill();

 private:
  RemovalJob(RuntimeContext& context, ShimProcess shim);

  ShimProcess shim_;
  kernel::Readiness::Watch watch_;
};

}  // namespace jettison::process
