#include "sim/whatif/oom_choice.h"

#include <algorithm>

#include "core/pods/oom_score_adj.h"

namespace jettison {
namespace {

constexpr int kMostAdj = 1000;

std::int64_t BadnessOf(const ActivePod& pod, std::int64_t capacity) {
  int adj = -kMostAdj;
  for (const Container& container : pod.facts->pod.containers) {
    const auto memory = static_cast<std::uint64_t>(std::max<std::int64_t>(capacity, 0));
    adj = std::max(adj, std::min(OomScoreAdj(pod.facts->pod, container, memory), kMostAdj));
  }
  const std::uint64_t held =
      pod.stats != nullptr ? pod.stats->memory_working_set_bytes.value_or(0) : 0;
  return static_cast<std::int64_t>(held) + capacity / kMostAdj * adj;
}

}  // namespace

std::optional<std::size_t> FirstForTheKernel(std::span<const ActivePod> pods,
                                             std::int64_t capacity) {
  std::optional<std::size_t> first;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const std::int64_t badness = BadnessOf(pods[i], capacity);
    if (badness <= 0 || (first && badness <= most)) continue;
    first = i;
    most = badness;
  }
  return first;
}

}  // namespace jettison
