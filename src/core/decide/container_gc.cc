#include "core/decide/container_gc.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace jettison {

namespace {

// The dead runs of one container of one pod, oldest first.
using Runs = std::vector<const ContainerRecord*>;
using RunsByContainer = std::map<std::pair<std::string_view, std::string_view>, Runs>;

bool IsOlder(const ContainerRecord* a, const ContainerRecord* b) {
  return std::tie(a->created, a->attempt, a->pod_uid, a->name) <
         std::tie(b->created, b->attempt, b->pod_uid, b->name);
}

bool IsGone(const PodsForGc& pods, std::string_view uid) {
  const auto it = pods.standing.find(uid);
  if (it == pods.standing.end()) return pods.all_sources_ready;
  return it->second == PodStanding::kTerminated && pods.terminated_count_as_gone;
}

RunsByContainer DeadRuns(std::span<const ContainerRecord> containers, Instant created_by) {
  RunsByContainer dead;
  for (const ContainerRecord& container : containers) {
    if (!container.exit || container.created > created_by) continue;
    dead[{container.pod_uid, container.name}].push_back(&container);
  }
  for (auto& [key, runs] : dead) std::sort(runs.begin(), runs.end(), IsOlder);
  return dead;
}

void TakeOldest(std::size_t count, Runs& runs, std::vector<ContainerRun>& taken) {
  const auto end = runs.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto it = runs.begin(); it != end; ++it) {
    taken.push_back({(*it)->pod_uid, (*it)->name, (*it)->attempt});
  }
  runs.erase(runs.begin(), end);
}

void KeepOfEach(std::size_t newest, RunsByContainer& left, std::vector<ContainerRun>& taken) {
  for (auto& [key, runs] : left) {
    if (runs.size() > newest) TakeOldest(runs.size() - newest, runs, taken);
  }
}

Runs AllOf(const RunsByContainer& left) {
  Runs all;
  for (const auto& [key, runs] : left) all.insert(all.end(), runs.begin(), runs.end());
  std::sort(all.begin(), all.end(), IsOlder);
  return all;
}

}  // namespace

std::vector<ContainerRun> ContainersToRemove(const ContainerGcPolicy& policy,
                                             std::span<const ContainerRecord> containers,
                                             const PodsForGc& pods, Instant now) {
  std::vector<ContainerRun> taken;
  RunsByContainer left = DeadRuns(containers, now - policy.min_age);
  for (auto& [key, runs] : left) {
    if (pods.all_sources_ready && IsGone(pods, key.first)) TakeOldest(runs.size(), runs, taken);
  }
  std::erase_if(left, [](const auto& entry) { return entry.second.empty(); });
  if (policy.max_per_pod_container >= 0) {
    KeepOfEach(static_cast<std::size_t>(policy.max_per_pod_container), left, taken);
  }
  const auto most = static_cast<std::size_t>(policy.max_containers);
  if (policy.max_containers < 0 || AllOf(left).size() <= most) return taken;
  KeepOfEach(std::max<std::size_t>(most / left.size(), 1), left, taken);
  Runs all = AllOf(left);
  if (all.size() > most) TakeOldest(all.size() - most, all, taken);
  return taken;
}

}  // namespace jettison
