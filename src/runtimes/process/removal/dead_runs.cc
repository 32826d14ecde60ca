#include "runtimes/process/removal/dead_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/readiness/retry_delay.h"
#include "pods/removal_job.h"

namespace jettison::process {
namespace {

// The most trees for one process, so that freed space is noticed in between.
constexpr std::size_t kTreesAtOnce = 256;
constexpr Duration kFirstTry = std::chrono::milliseconds(100);
// They take some 3 s with the delays above.
constexpr int kCountedFailures = 5;

}  // namespace

void DeadRuns::Add(std::vector<std::string> trees) {
  waiting_.insert(waiting_.end(), std::make_move_iterator(trees.begin()),
                  std::make_move_iterator(trees.end()));
  context_.readiness.Wake();
}

void DeadRuns::LeaveOut(std::string_view folder) {
  const auto is_below = [&](const std::string& tree) { return tree.starts_with(folder); };
  std::erase_if(waiting_, is_below);
  std::erase_if(failed_, is_below);
  // Its process knows only the order that it was given.
  if (std::erase_if(under_way_, is_below) == 0 || !job_ || killed_) return;
  job_->Kill();
  killed_ = true;
}

bool DeadRuns::busy() const {
  return job_ != nullptr || !waiting_.empty() ||
         (!failed_.empty() && failed_jobs_ <= kCountedFailures);
}

void DeadRuns::Continue() {
  if (!job_ && !waiting_.empty() && !retry_) StartNext();
}

void DeadRuns::OnJobEnded(const Result<void>& outcome) {
  job_.reset();
  std::vector<std::string> trees = std::exchange(under_way_, {});
  const bool was_killed = std::exchange(killed_, false);
  if (was_killed && !outcome) return Add(std::move(trees));
  if (outcome) {
    if (failed_.empty()) failed_jobs_ = 0;
    return;
  }
  if (failed_jobs_ == 0) {
    context_.Log(outcome.error().In("remove a dead container; it is tried again").message);
  }
  failed_.insert(failed_.end(), std::make_move_iterator(trees.begin()),
                 std::make_move_iterator(trees.end()));
  again_ = context_.readiness.After(kernel::RetryDelay(kFirstTry, failed_jobs_++), [this] {
    again_.Stop();
    Add(std::exchange(failed_, {}));
  });
}

void DeadRuns::StartNext() {
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kTreesAtOnce));
  auto job =
      StartRemoval(context_.readiness, {.pod = "", .trees = std::vector(waiting_.begin(), end)},
                   [this](const Result<void>& outcome) { OnJobEnded(outcome); });
  if (job) {
    under_way_.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    failures_ = 0;
    job_ = std::move(*job);
    return;
  }
  if (failures_ == 0) {
    context_.Log(job.error().In("dead containers are not removed now; it is tried again").message);
  }
  retry_ = context_.readiness.After(kernel::RetryDelay(kFirstTry, failures_++),
                                    [this] { retry_.Stop(); });
}

}  // namespace jettison::process
