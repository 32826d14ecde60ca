#include "cli/demo/stage/demo_order.h"

#include <algorithm>

#include "core/decide/ranking.h"

namespace jettison {
namespace {

// One file system for everything: writable layers, logs and volumes count together.
PodStats StatsOf(const PodView& view) {
  PodStats stats;
  stats.uid = view.uid;
  stats.has_memory = view.memory_working_set_bytes.has_value();
  stats.memory_working_set_bytes = view.memory_working_set_bytes;
  stats.process_count = view.process_count;
  stats.containers.push_back({.name = "all", .rootfs = view.ephemeral_storage});
  return stats;
}

bool TakesUpResources(const PodView& view) {
  switch (view.activity) {
    case PodActivity::kStarting:
    case PodActivity::kRunning:
    case PodActivity::kTerminating: return true;
    case PodActivity::kWaiting:
    case PodActivity::kCleaningUp:
    case PodActivity::kFinished: return false;
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<const PodView*> InEvictionOrder(const std::vector<PodView>& pods,
                                            const DemoFacts& facts, Signal signal) {
  std::vector<const PodView*> there;
  std::vector<const PodView*> away;
  std::vector<PodFacts> weighed;
  std::vector<PodStats> stats;
  for (const PodView& view : pods) {
    const auto found = facts.find(view.name);
    const bool ranks = found != facts.end() && TakesUpResources(view);
    (ranks ? there : away).push_back(&view);
    if (!ranks) continue;
    weighed.push_back(found->second);
    weighed.back().pod.uid = view.uid;
    stats.push_back(StatsOf(view));
  }
  std::vector<ActivePod> active;
  for (std::size_t i = 0; i < there.size(); ++i) active.push_back({&weighed[i], &stats[i]});
  std::vector<const PodView*> ordered;
  for (const std::size_t i : RankedPods(active, signal, {})) ordered.push_back(there[i]);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const PodView* view) { return view->protection == Protection::kNone; });
  ordered.insert(ordered.end(), away.begin(), away.end());
  return ordered;
}

}  // namespace jettison
