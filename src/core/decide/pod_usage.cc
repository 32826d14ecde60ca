#include "core/decide/pod_usage.h"

#include "core/decide/ranking.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

bool IsMeasured(const PodStats& stats, Resource resource) {
  switch (resource) {
    case Resource::kMemory: return stats.memory_working_set_bytes.has_value();
    case Resource::kSwap: return stats.swap_bytes.has_value();
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return !stats.stale_disk || stats.stale_disk->measured_at;
    case Resource::kPids: return stats.process_count.has_value();
    case Resource::kIo: return stats.io_some_avg10.has_value();
  }
  __builtin_unreachable();
}

}  // namespace

// Pods can request only memory and disk space.
Nanos RequestFor(const PodFacts& facts, Resource resource) {
  switch (resource) {
    case Resource::kMemory: return facts.memory_request;
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return facts.ephemeral_storage_request;
    case Resource::kSwap:
    case Resource::kPids:
    case Resource::kIo: return 0;
  }
  __builtin_unreachable();
}

// Process counts are ranked as they are, everything else in billionths.
std::optional<std::int64_t> UsageOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  const Resource resource = ResourceOf(signal);
  if (pod.stats == nullptr || !IsMeasured(*pod.stats, resource)) return std::nullopt;
  const RankKey key = RankOf(pod, signal, layout);
  if (resource == Resource::kPids) return static_cast<std::int64_t>(-key.negated_excess);
  return static_cast<std::int64_t>((RequestFor(*pod.facts, resource) - key.negated_excess) /
                                   kNanosPerUnit);
}

}  // namespace jettison
