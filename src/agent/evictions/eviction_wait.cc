#include "agent/evictions/eviction_wait.h"

#include <algorithm>

namespace jettison {

void EvictionWait::Begin(const std::vector<std::string>& pods, Resource resource, bool hard,
                         Instant now) {
  for (const std::string& pod : pods) {
    if (std::ranges::find(pods_, pod) == pods_.end()) pods_.push_back(pod);
  }
  if (hard) hard_for_.push_back(resource);
  deadline_ = now + kCleanupTimeout;
}

std::optional<EvictionWait::Outcome> EvictionWait::Check(
    const std::function<bool(std::string_view uid)>& is_on_node, Instant now) {
  if (!active()) return std::nullopt;
  std::erase_if(pods_, [&](const std::string& pod) { return !is_on_node(pod); });
  const bool timed_out = active() && now >= deadline_;
  if (active() && !timed_out) return std::nullopt;
  pods_.clear();
  hard_for_.clear();
  return timed_out ? Outcome::kTimedOut : Outcome::kCleanedUp;
}

std::optional<SavedWait> EvictionWait::Saved() const {
  if (!active()) return std::nullopt;
  return SavedWait{.pods = pods_, .hard_for = hard_for_, .deadline = deadline_};
}

void EvictionWait::Resume(const SavedWait& kept, Instant now) {
  pods_ = kept.pods;
  hard_for_ = kept.hard_for;
  deadline_ = std::min(kept.deadline, now + kCleanupTimeout);
}

bool EvictionWait::Allows(const Threshold& threshold) const {
  if (!active()) return true;
  const bool memory_awaited = std::ranges::find(hard_for_, Resource::kMemory) != hard_for_.end();
  if (ResourceOf(threshold.signal) == Resource::kSwap && memory_awaited) return false;
  return threshold.IsHard();
}

}  // namespace jettison
