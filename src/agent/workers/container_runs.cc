#include "agent/workers/container_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace jettison {

ContainerRuns::ContainerRuns(const Pod& pod, const BackoffRule& restart_rule) {
  runs_.reserve(pod.init_containers.size() + pod.containers.size());
  for (const Container& spec : pod.init_containers) runs_.emplace_back(spec, true, restart_rule);
  for (const Container& spec : pod.containers) runs_.emplace_back(spec, false, restart_rule);
}

ContainerLifecycle* ContainerRuns::Find(const std::string& container, int attempt) {
  const auto run = std::ranges::find_if(runs_, [&](const ContainerLifecycle& r) {
    return r.attempt() == attempt && r.spec().name == container;
  });
  return run == runs_.end() ? nullptr : &*run;
}

bool ContainerRuns::AnyAlive() const {
  return std::ranges::any_of(runs_, &ContainerLifecycle::IsAlive);
}

bool ContainerRuns::AnyRegularStarted() const {
  return std::ranges::any_of(
      runs_, [](const ContainerLifecycle& run) { return !run.is_init() && run.WasStarted(); });
}

// (kubelet: computePodActions, which begins with the first init container where it makes a sandbox,
// and makes none for a pod that is not restarted or has nothing left to run)
bool ContainerRuns::BeginAnew(RestartPolicy policy) {
  const auto is_lost = [](const ContainerLifecycle& run) {
    return run.WasStarted() && !run.WasStartedInThisLife();
  };
  const auto goes_on = [](const ContainerLifecycle& run) {
    return !run.is_init() && (run.IsAlive() || run.WasStartedInThisLife());
  };
  const auto is_to_run = [policy](const ContainerLifecycle& run) {
    return !run.is_init() &&
           (run.phase() != ContainerLifecycle::Phase::kExited || run.RestartsUnder(policy));
  };
  if (policy == RestartPolicy::kNever || std::ranges::none_of(runs_, is_lost) ||
      std::ranges::any_of(runs_, goes_on) || std::ranges::none_of(runs_, is_to_run)) {
    return false;
  }
  for (ContainerLifecycle& run : runs_) {
    if (run.is_init() && is_lost(run) && !run.IsAlive()) run.BeginAnew();
  }
  return true;
}

bool ContainerRuns::EveryRegularRan() const {
  return std::ranges::all_of(
      runs_, [](const ContainerLifecycle& run) { return run.is_init() || run.HasRun(); });
}

void ContainerRuns::Take(std::vector<ContainerRecord> records) {
  std::ranges::sort(records, {}, &ContainerRecord::attempt);
  for (const ContainerRecord& record : records) {
    const auto run = std::ranges::find(runs_, record.name, [](const ContainerLifecycle& r) {
      return std::string_view(r.spec().name);
    });
    if (run == runs_.end()) continue;
    const bool known = run->WasStarted() && record.attempt <= run->attempt();
    if (known && record.attempt == run->attempt()) continue;
    if (!known) run->Adopt(record);
    if (record.exit) dead_.push_back(record);
  }
}

void ContainerRuns::Resume(const std::vector<SavedRun>& kept, Instant now) {
  for (ContainerLifecycle& run : runs_) {
    const auto found = std::ranges::find(kept, run.spec().name, &SavedRun::container);
    if (found != kept.end()) run.Resume(*found, now);
  }
}

std::vector<SavedRun> ContainerRuns::Kept() const {
  std::vector<SavedRun> kept;
  for (const ContainerLifecycle& run : runs_) {
    if (auto each = run.Kept()) kept.push_back(*std::move(each));
  }
  return kept;
}

void ContainerRuns::ForgetDead(const std::string& container, int attempt) {
  std::erase_if(dead_, [&](const ContainerRecord& record) {
    return record.name == container && record.attempt == attempt;
  });
}

}  // namespace jettison
