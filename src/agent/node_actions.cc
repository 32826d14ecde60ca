#include "agent/node_actions.h"

#include "decide/container_gc.h"

namespace jettison {

Result<void> TableKiller::Evict(const EvictionOrder& order) {
  const auto ending = table_.Evict(order, clock_.Now());
  if (!ending) return Fail(ending.error());
  if (*ending) ending_.push_back(order.pod_uid);
  return {};
}

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
  for (const ContainerRun& run : runs) {
    for (PodWorker* worker : workers) {
      if (worker->facts().pod.uid == run.pod_uid) worker->ForgetRun(run.container, run.attempt);
    }
  }
  return runs.size();
}

Result<ReclaimProgress> TableReclaimer::DeleteDeadContainers() {
  ForgetDeadContainers(table_, policy_, ForgetOf::kEndedPodsToo, clock_.Now());
  return ReclaimProgress::kDone;
}

}  // namespace jettison
