#include "pods/pod_removal.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "pods/pod_groups.h"

namespace jettison {
namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds(5);
// Killed processes take a moment to end, so a failure is only logged after this many tries, which
// take somewhat more than a second with the delays above.
constexpr int kPatientFailures = 8;

}  // namespace

void PodRemoval::Go() {
  switch (step_) {
    case Step::kRuntime: return EndInRuntime(Then(Step::kGroups));
    case Step::kGroups:
      return Then(Step::kFiles)(RemoveGroupsOfPod(edges_.cgroups, edges_.group_end, remains_.groups,
                                                  failures_ < kPatientFailures));
    case Step::kFiles:
      return CollectFiles(lifetime_.Guard([this](const RemovalOrder& order) { Delete(order); }));
    case Step::kRest: return AwaitTheRest(Then(Step::kDone));
    case Step::kDone: return edges_.readiness.Wake();
  }
}

PodRemoval::Done PodRemoval::Then(Step next) {
  return lifetime_.Guard([this, next](const Result<void>& outcome) {
    if (!outcome) return TryAgainLater(outcome.error());
    failures_ = 0;
    step_ = next;
    Go();
  });
}

void PodRemoval::Delete(const RemovalOrder& order) {
  auto job = StartRemoval(edges_.readiness, order, Then(Step::kRest));
  if (!job) return TryAgainLater(job.error());
  job_ = std::move(*job);
}

void PodRemoval::TryAgainLater(const Error& error) {
  problem_ = error.message;
  if (++failures_ == kPatientFailures) {
    edges_.Log(fmt::format("pod {}: {}; it is tried again", remains_.uid, error.message));
  }
  edges_.readiness.Wake();
  retry_ = edges_.readiness.After(kernel::RetryDelay(kFirstRetry, failures_), [this] {
    retry_.Stop();
    Go();
  });
}

}  // namespace jettison
