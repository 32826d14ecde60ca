#include "core/decide/kubelet_round.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

std::size_t IndexOf(Resource resource) {
  return static_cast<std::size_t>(resource);
}

}  // namespace

void KubeletRound::Evicted(Resource resource, bool hard, Duration grace, Instant now) {
  if (!awaited_ && !Next(now)) evicted_for_.fill(false);
  evicted_for_[IndexOf(resource)] = true;
  awaited_ = true;
  if (!hard) return;
  awaits_hard_ = true;
  decides_ = now + grace + kCleanupPoll;
}

void KubeletRound::CleanedUp(bool all_gone, Instant now) {
  awaits_hard_ = false;
  if (!std::exchange(awaited_, false)) return;
  decides_ = all_gone ? now + kCleanupPoll : now;
}

std::optional<Instant> KubeletRound::Next(Instant now) const {
  if (!decides_) return std::nullopt;
  if (awaits_hard_) return std::max(*decides_, now + kCleanupPoll);
  return *decides_ > now ? decides_ : std::nullopt;
}

std::optional<Instant> KubeletRound::NextFor(Signal signal, Instant now) const {
  const bool matters = evicted_for_[IndexOf(ResourceOf(signal))] || !IsForeseen(signal);
  return matters ? Next(now) : std::nullopt;
}

}  // namespace jettison
