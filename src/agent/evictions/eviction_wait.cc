#include "agent/evictions/eviction_wait.h"

#include <algorithm>

namespace jettison {

void EvictionWait::Begin(const std::vector<std::string>& pods, Resource resource, bool hard,
                         Instant now) {
  for (const std::string& pod : pods) {
    if (std::ranges::find(wait_.pods, pod) == wait_.pods.end()) wait_.pods.push_back(pod);
  }
  if (hard) wait_.hard_for.push_back(resource);
  wait_.deadline = now + kCleanupTimeout;
}

std::optional<EvictionWait::Outcome> EvictionWait::Check(
    const std::function<bool(std::string_view uid)>& is_on_node, Instant now) {
  if (!active()) return std::nullopt;
  std::erase_if(wait_.pods, [&](const std::string& pod) { return !is_on_node(pod); });
  const bool timed_out = active() && now >= wait_.deadline;
  if (active() && !timed_out) return std::nullopt;
  wait_.pods.clear();
  wait_.hard_for.clear();
  return timed_out ? Outcome::kTimedOut : Outcome::kCleanedUp;
}

void EvictionWait::Resume(const SavedWait& kept, Instant now) {
  wait_ = kept;
  wait_.deadline = std::min(kept.deadline, now + kCleanupTimeout);
}

bool EvictionWait::Allows(const Threshold& threshold) const {
  if (!active()) return true;
  const bool memory_awaited =
      std::ranges::find(wait_.hard_for, Resource::kMemory) != wait_.hard_for.end();
  if (ResourceOf(threshold.signal) == Resource::kSwap && memory_awaited) return false;
  return threshold.IsHard();
}

}  // namespace jettison
