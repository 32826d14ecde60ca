#include "agent/dependencies/dependencies.h"

#include <algorithm>
#include <optional>

#include "core/evaluate/evaluate.h"
#include "kernel/memcg_events/memcg_threshold.h"

namespace jettison {
namespace {

const std::optional<MemoryStats>* StatsOf(Signal signal, const NodeStats& node) {
  if (signal == Signal::kMemoryAvailable) return &node.memory;
  if (signal == Signal::kAllocatableMemoryAvailable) return &node.pods_memory;
  return nullptr;
}

std::optional<AvailableMemory> PartsOf(const Threshold& threshold, const MemoryStats& stats) {
  if (!stats.available_bytes || !stats.working_set_bytes || !stats.usage_bytes) return std::nullopt;
  const std::uint64_t capacity = *stats.available_bytes + *stats.working_set_bytes;
  const std::int64_t amount =
      QuantityOf(threshold.value, static_cast<std::int64_t>(capacity)).Value();
  if (amount <= 0) return std::nullopt;
  return AvailableMemory{.capacity = capacity,
                         .threshold = static_cast<std::uint64_t>(amount),
                         .inactive_file = *stats.usage_bytes > *stats.working_set_bytes
                                              ? *stats.usage_bytes - *stats.working_set_bytes
                                              : 0};
}

}  // namespace

std::vector<MemoryLevel> MemoryLevels(std::span<const Threshold> thresholds,
                                      const NodeStats& node) {
  std::vector<MemoryLevel> levels;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto* stats = StatsOf(thresholds[i].signal, node);
    if (stats == nullptr || !*stats) continue;
    const auto parts = PartsOf(thresholds[i], **stats);
    if (!parts) continue;
    levels.push_back({.threshold = i, .signal = thresholds[i].signal, .bytes = UsageLevel(*parts)});
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
