#include "runtimes/process/dead_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/readiness/retry_delay.h"

namespace jettison::process {
namespace {

// The most trees for one process, so that freed space is noticed in between.
constexpr std::size_t kTreesAtOnce = 256;
constexpr Duration kFirstTry = std::chrono::milliseconds(100);

}  // namespace

void DeadRuns::Add(std::vector<std::string> trees) {
  waiting_.insert(waiting_.end(), std::make_move_iterator(trees.begin()),
                  std::make_move_iterator(trees.end()));
  context_.readiness.Wake();
}

void DeadRuns::Continue() {
  if (job_) {
    const auto outcome = job_->Outcome();
    if (!outcome) return;
    context_.LogFailure("remove a dead container", *outcome);
    job_.reset();
  }
  if (!waiting_.empty() && !retry_) StartNext();
}

void DeadRuns::StartNext() {
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kTreesAtOnce));
  auto job = RemovalJob::Start(context_,
                               {.volume_folders = {}, .trees = std::vector(waiting_.begin(), end)});
  if (job) {
    waiting_.erase(waiting_.begin(), end);
    failures_ = 0;
    job_.emplace(std::move(*job));
    return;
  }
  if (failures_ == 0) {
    context_.Log(job.error().In("dead containers are not removed now; it is tried again").message);
  }
  retry_ = context_.readiness.After(kernel::RetryDelay(kFirstTry, failures_++),
                                    [this] { retry_.Stop(); });
}

}  // namespace jettison::process
