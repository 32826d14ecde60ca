#include "sim/whatif/sim_pace.h"

#include <algorithm>
#include <chrono>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

constexpr Duration kHardGrace = std::chrono::seconds(1);

std::size_t IndexOf(Resource resource) {
  return static_cast<std::size_t>(resource);
}

}  // namespace

void SimulatedPace::Evicted(Resource resource, bool hard, Instant now, Instant gone) {
  OfResource& entry = resources_[IndexOf(resource)];
  entry.awaited = true;
  entry.hard |= hard;
  if (hard) entry.decides = now + kHardGrace + kCleanupPoll;
  gone_ = std::max(gone_.value_or(gone), gone);
}

void SimulatedPace::Advance(Instant now) {
  if (!gone_ || now < *gone_) return;
  for (OfResource& entry : resources_) {
    if (entry.awaited) entry.decides = *gone_ + kCleanupPoll;
    entry.awaited = entry.hard = false;
  }
  gone_.reset();
}

bool SimulatedPace::Allows(const Threshold& threshold) const {
  if (!awaits()) return true;
  const bool memory_awaited = resources_[IndexOf(Resource::kMemory)].hard;
  if (ResourceOf(threshold.signal) == Resource::kSwap && memory_awaited) return false;
  return threshold.IsHard();
}

std::optional<Instant> SimulatedPace::KubeletDecides(Resource resource, Instant now) const {
  const OfResource& entry = resources_[IndexOf(resource)];
  if (!entry.decides) return std::nullopt;
  if (entry.awaited) return std::max(*entry.decides, now + kCleanupPoll);
  return *entry.decides > now ? entry.decides : std::nullopt;
}

std::optional<Instant> SimulatedPace::Next(Instant now) const {
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && *at > now && (!next || *at < *next)) next = at;
  };
  consider(gone_);
  for (const OfResource& entry : resources_) consider(entry.decides);
  return next;
}

}  // namespace jettison
