#include "agent/evictions/node_actions.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/decide/container_gc.h"

namespace jettison {

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

}  // namespace jettison
