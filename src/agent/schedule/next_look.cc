#include "agent/schedule/next_look.h"

#include <algorithm>
#include <cstdint>

#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// Absent: nobody can tell, or it does not run short within moments.
std::optional<double> GrowthAtOnce(Signal signal) {
  if (!IsForeseen(signal)) return std::nullopt;
  return UnitNameOf(signal) == "bytes" ? kBytesAtOnce : kTasksAtOnce;
}

// Of the group whose levels tell of the signal; null: none do.
const std::optional<MemoryStats>* MemoryBehind(Signal signal, const NodeStats& node) {
  if (signal == Signal::kMemoryAvailable) return &node.memory;
  if (signal == Signal::kAllocatableMemoryAvailable) return &node.pods_memory;
  return nullptr;
}

}  // namespace

Duration NextLook(std::span<const Threshold> thresholds, const Observations& seen) {
  double seconds = SecondsOf(kFarthestLook);
  for (const Threshold& threshold : thresholds) {
    const auto& signal = seen[threshold.signal];
    const auto at_once = GrowthAtOnce(threshold.signal);
    if (!signal || !at_once) continue;
    const std::int64_t left =
        signal->available - QuantityOf(threshold.value, signal->capacity).Value();
    if (left < 0) continue;
    seconds = std::min(seconds, static_cast<double>(left) / *at_once);
  }
  return std::max(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)),
                  kNearestLook);
}

Duration NextPaceLook(Instant since, Instant now) {
  return std::clamp(Elapsed(since, now) / 20, kShortestPaceLook, kLongestPaceLook);
}

std::vector<MemoryLevel> MemoryLevels(std::span<const Threshold> thresholds,
                                      const NodeStats& node) {
  std::vector<MemoryLevel> levels;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Signal signal = thresholds[i].signal;
    const auto* const stats = MemoryBehind(signal, node);
    if (stats == nullptr || !*stats) continue;
    const auto& available = (*stats)->available_bytes;
    const auto& working_set = (*stats)->working_set_bytes;
    const auto& usage = (*stats)->usage_bytes;
    if (!available || !usage || !working_set) continue;
    const auto capacity = static_cast<std::int64_t>(*available + *working_set);
    const std::int64_t threshold = QuantityOf(thresholds[i].value, capacity).Value();
    if (threshold <= 0) continue;
    const std::int64_t level = static_cast<std::int64_t>(*usage + *available) - threshold;
    levels.push_back({.threshold = i,
                      .signal = signal,
                      .bytes = static_cast<std::uint64_t>(std::max(level, std::int64_t{0}))});
  }
  return levels;
}

bool LevelsMoved(std::span<const MemoryLevel> registered, std::span<const MemoryLevel> wanted) {
  return !std::ranges::equal(registered, wanted, [](const MemoryLevel& a, const MemoryLevel& b) {
    const std::uint64_t distance = std::max(a.bytes, b.bytes) - std::min(a.bytes, b.bytes);
    return a.threshold == b.threshold && a.signal == b.signal && distance <= kLevelSlack;
  });
}

}  // namespace jettison
