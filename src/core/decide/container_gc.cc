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

// Whether nothing of the pod needs to be kept for it.
bool IsGone(const PodsForGc& pods, std::string_view uid) {
  const auto it = pods.standing.find(uid);
  if (it == pods.standing.end()) return pods.all_sources_ready;
  switch (it->second) {
    case PodStanding::kLives: return false;
    case PodStanding::kTerminated: return pods.terminated_count_as_gone;
  }
  return false;
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

// The choices so far, and the remaining candidates.
class Selection {
 public:
  explicit Selection(RunsByContainer dead) : left_(std::move(dead)) {}

  void TakeAllOfGonePods(const PodsForGc& pods) {
    for (auto& [key, runs] : left_) {
      if (IsGone(pods, key.first)) TakeOldest(runs, runs.size());
    }
    std::erase_if(left_, [](const auto& entry) { return entry.second.empty(); });
  }

  void KeepOfEachContainer(std::size_t newest) {
    for (auto& [key, runs] : left_) {
      if (runs.size() > newest) TakeOldest(runs, runs.size() - newest);
    }
  }

  void KeepOfAll(std::size_t newest) {
    Runs all;
    for (const auto& [key, runs] : left_) all.insert(all.end(), runs.begin(), runs.end());
    if (all.size() <= newest) return;
    std::sort(all.begin(), all.end(), IsOlder);
    TakeOldest(all, all.size() - newest);
  }

  [[nodiscard]] std::size_t ContainersLeft() const { return left_.size(); }
  [[nodiscard]] std::size_t RunsLeft() const {
    std::size_t count = 0;
    for (const auto& [key, runs] : left_) count += runs.size();
    return count;
  }
  [[nodiscard]] std::vector<ContainerRun> Taken() && { return std::move(taken_); }

 private:
  void TakeOldest(Runs& runs, std::size_t count) {
    const auto end = runs.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto it = runs.begin(); it != end; ++it) {
      taken_.push_back({(*it)->pod_uid, (*it)->name, (*it)->attempt});
    }
    runs.erase(runs.begin(), end);
  }

  RunsByContainer left_;
  std::vector<ContainerRun> taken_;
};

}  // namespace

std::vector<ContainerRun> ContainersToRemove(const ContainerGcPolicy& policy,
                                             std::span<const ContainerRecord> containers,
                                             const PodsForGc& pods, Instant now) {
  Selection selection(DeadRuns(containers, now - policy.min_age));
  if (pods.all_sources_ready) selection.TakeAllOfGonePods(pods);
  if (policy.max_per_pod_container >= 0) {
    selection.KeepOfEachContainer(static_cast<std::size_t>(policy.max_per_pod_container));
  }
  if (policy.max_containers >= 0) {
    const auto most = static_cast<std::size_t>(policy.max_containers);
    if (selection.RunsLeft() > most) {
      selection.KeepOfEachContainer(std::max<std::size_t>(most / selection.ContainersLeft(), 1));
      selection.KeepOfAll(most);
    }
  }
  return std::move(selection).Taken();
}

std::vector<std::string> PodLogsToRemove(std::span<const std::string> folders,
                                         const PodsForGc& pods) {
  std::vector<std::string> removed;
  if (!pods.all_sources_ready) return removed;
  for (const std::string& folder : folders) {
    if (std::count(folder.begin(), folder.end(), '_') != 2) continue;
    if (!pods.standing.contains(folder.substr(folder.rfind('_') + 1))) removed.push_back(folder);
  }
  return removed;
}

}  // namespace jettison
