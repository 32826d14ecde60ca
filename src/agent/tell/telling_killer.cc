#include "agent/tell/telling_killer.h"

namespace jettison {

Result<EvictOutcome> TellingKiller::Evict(const EvictionOrder& order) {
  auto evicted = killer_.Evict(order);
  const Instant now = clock_.Now();
  for (EvictionListener* listener : listeners_) listener->Evicting(order, evicted, now);
  return evicted;
}

}  // namespace jettison
