#include "agent/evictions/ending_pods.h"

#include <algorithm>

#include "core/decide/ranking.h"

namespace jettison {

void EndingPods::Read(std::span<const EndingPod> pods, Figures& figures) {
  Clear();
  for (const EndingPod& pod : pods) pods_.push_back(pod.facts);
  figures.ReadMemoryOf(pods_, stats_);
}

void EndingPods::ReadAll(Figures& figures) {
  figures.ReadPods(pods_, nullptr, stats_);
}

void EndingPods::Clear() {
  pods_.clear();
  stats_.clear();
}

ActivePod EndingPods::At(std::size_t place) const {
  const PodStats& stats = stats_[place];
  return {.facts = pods_[place], .stats = stats.has_memory ? &stats : nullptr};
}

ActivePod EndingPods::Of(const PodFacts* facts) const {
  const auto found = std::ranges::find(pods_, facts);
  if (found == pods_.end()) return {.facts = facts, .stats = nullptr};
  return At(static_cast<std::size_t>(found - pods_.begin()));
}

std::int64_t EndingPods::WorkingSets() const {
  std::int64_t sum = 0;
  for (const PodStats& stats : stats_) {
    sum += static_cast<std::int64_t>(stats.memory_working_set_bytes.value_or(0));
  }
  return sum;
}

std::int64_t EndingPods::Usage(Signal signal, DiskLayout layout) const {
  std::int64_t sum = 0;
  for (std::size_t place = 0; place < size(); ++place) {
    const ActivePod pod = At(place);
    if (pod.stats != nullptr) sum += UsageOf(pod, signal, layout).value_or(0);
  }
  return sum;
}

}  // namespace jettison
