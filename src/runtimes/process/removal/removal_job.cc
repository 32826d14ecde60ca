#include "runtimes/process/removal/removal_job.h"

#include <csignal>
#include <utility>

#include "kernel/readiness/pidfd.h"

namespace jettison::process {

Result<RemovalJob> RemovalJob::Start(RuntimeContext& context, const RemoveOrder& order) {
  auto shim = ShimProcess::Start(context.options.shim, Format(order), "remove");
  if (!shim) return Fail(shim.error());
  return RemovalJob(context, std::move(*shim));
}

RemovalJob::RemovalJob(RuntimeContext& context, ShimProcess shim) : shim_(std::move(shim)) {
  // The callback is empty, because the owner of the job looks at its outcome after each wake-up.
  watch_ = context.readiness.OnReadable(shim_.pidfd().get(), [] {});
}

std::optional<Result<void>> RemovalJob::Outcome() {
  const auto status = shim_.Reap();
  if (!status) return std::nullopt;
  watch_.Stop();
  if (*status == 0) return Result<void>{};
  const auto message = shim_.Receive();
  if (message && *message) return Fail(ErrorOf(**message));
  return Fail(ErrorCode::kInternal, "the removal was killed");
}

void RemovalJob::Kill() {
  kernel::SendSignal(shim_.pidfd(), SIGKILL);
}

}  // namespace jettison::process
