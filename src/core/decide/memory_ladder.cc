#include "core/decide/memory_ladder.h"

#include <algorithm>
#include <tuple>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

bool IsOfMemory(Signal signal) {
  return signal == Signal::kMemoryAvailable || signal == Signal::kAllocatableMemoryAvailable;
}

// How much has to be available so that the threshold is far enough away.
std::int64_t LineOf(const Threshold& threshold, std::int64_t capacity) {
  const std::int64_t value = QuantityOf(threshold.value, capacity).Value();
  if (threshold.IsHard()) return value + value / 2;
  return value + (threshold.min_reclaim ? QuantityOf(*threshold.min_reclaim, capacity).Value() : 0);
}

}  // namespace

std::uint64_t LadderGoal(std::span<const Threshold> thresholds, const Observations& observations) {
  std::int64_t goal = 0;
  for (const Threshold& threshold : thresholds) {
    const auto& observed = observations[threshold.signal];
    if (!IsOfMemory(threshold.signal) || !observed) continue;
    const std::int64_t value = QuantityOf(threshold.value, observed->capacity).Value();
    if (threshold.IsHard() && observed->available < value) return 0;
    goal = std::max(goal, LineOf(threshold, observed->capacity) - observed->available);
  }
  return static_cast<std::uint64_t>(goal);
}

bool MayBeSqueezed(const PodFacts& facts) {
  return !facts.IsProtected() && facts.qos != QosClass::kGuaranteed;
}

bool IsIdle(const std::optional<CpuSample>& before, const CpuSample& now) {
  constexpr std::int64_t kShare = 100;  // idle: at most one of this many microseconds
  if (!before || now.used_us < before->used_us) return false;
  const Duration apart = now.at - before->at;
  if (apart < kCpuSampleLeast || apart > kCpuSampleMost) return false;
  const std::int64_t elapsed = std::chrono::duration_cast<std::chrono::microseconds>(apart).count();
  return now.used_us - before->used_us <= static_cast<std::uint64_t>(elapsed / kShare);
}

std::vector<LadderGroup> LadderOrder(std::vector<LadderGroup> groups) {
  std::erase_if(groups, [](const LadderGroup& group) { return group.bytes < kLeastReclaim; });
  std::ranges::sort(groups, [](const LadderGroup& a, const LadderGroup& b) {
    return std::tie(a.step, a.priority, b.bytes, a.group) <
           std::tie(b.step, b.priority, a.bytes, b.group);
  });
  return groups;
}

}  // namespace jettison
