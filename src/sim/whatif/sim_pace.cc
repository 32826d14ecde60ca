#include "sim/whatif/sim_pace.h"

#include <algorithm>
#include <chrono>

namespace jettison {
namespace {

constexpr Duration kHardGrace = std::chrono::seconds(1);

}  // namespace

void SimulatedPace::Evicted(Resource resource, bool hard, Instant now, Instant gone) {
  round_.Evicted(resource, hard, kHardGrace, now);
  memory_awaited_ |= hard && resource == Resource::kMemory;
  gone_ = std::max(gone_.value_or(gone), gone);
}

void SimulatedPace::Advance(Instant now) {
  if (paused_until_ && now >= *paused_until_) paused_until_.reset();
  if (!gone_ || now < *gone_) return;
  round_.CleanedUp(true, *gone_);
  memory_awaited_ = false;
  gone_.reset();
}

bool SimulatedPace::Allows(const Threshold& threshold) const {
  if (!awaits()) return true;
  if (ResourceOf(threshold.signal) == Resource::kSwap && memory_awaited_) return false;
  return threshold.IsHard();
}

std::optional<Instant> SimulatedPace::Next(Instant now) const {
  std::optional<Instant> next = round_.Next(now);
  for (const auto& at : {gone_, paused_until_}) {
    if (at && *at > now && (!next || *at < *next)) next = at;
  }
  return next;
}

}  // namespace jettison
