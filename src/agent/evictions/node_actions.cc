#include "agent/evictions/node_actions.h"

#include <string_view>
#include <unordered_map>

#include "core/decide/container_gc.h"

namespace jettison {
namespace {

constexpr Duration kReclaimPatience = std::chrono::minutes(1);

}  // namespace

std::size_t ForgetDeadContainers(PodTable& table, const ContainerGcPolicy& policy, ForgetOf which,
                                 Instant now) {
  PodsForGc pods = table.StandingForGc();
  pods.terminated_count_as_gone = which == ForgetOf::kEndedPodsToo;
  std::vector<ContainerRecord> dead;
  const std::vector<PodWorker*> workers = table.Workers();
  for (const PodWorker* worker : workers) {
    dead.insert(dead.end(), worker->dead_runs().begin(), worker->dead_runs().end());
  }
  const std::vector<ContainerRun> runs = ContainersToRemove(policy, dead, pods, now);
  if (runs.empty()) return 0;
  std::unordered_map<std::string_view, PodWorker*> by_uid;
  for (PodWorker* worker : workers) by_uid.emplace(worker->facts().pod.uid, worker);
  for (const ContainerRun& run : runs) {
    const auto worker = by_uid.find(run.pod_uid);
    if (worker != by_uid.end()) worker->second->ForgetRun(run.container, run.attempt);
  }
  return runs.size();
}

Result<ReclaimProgress> TableReclaimer::DeleteDeadContainers() {
  if (give_up_at_) return ReclaimProgress::kUnderWay;
  if (outcome_) {
    return *outcome_ ? Result<ReclaimProgress>(ReclaimProgress::kDone) : Fail(outcome_->error());
  }
  const Instant now = clock_.Now();
  ForgetDeadContainers(table_, policy_, ForgetOf::kEndedPodsToo, now);
  if (!IsRemoving(now)) return ReclaimProgress::kDone;
  give_up_at_ = now + kReclaimPatience;
  return ReclaimProgress::kUnderWay;
}

// Pods that are being removed free space, too, not only dead containers.
bool TableReclaimer::IsRemoving(Instant now) const {
  return runtime_.RemovingContainers() || table_.AnyIsBeingRemoved(now);
}

void TableReclaimer::Advance(Instant now) {
  if (!give_up_at_) return;
  const bool over = !IsRemoving(now);
  if (!over && now < *give_up_at_) return;
  give_up_at_.reset();
  outcome_.emplace();
  if (over) return;
  *outcome_ = Fail(ErrorCode::kDeadlineExceeded, "dead containers are still being removed after " +
                                                     FormatDuration(kReclaimPatience));
}

}  // namespace jettison
