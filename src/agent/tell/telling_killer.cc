#include "agent/tell/telling_killer.h"

namespace jettison {

Result<EvictOutcome> TellingKiller::Evict(const EvictionOrder& order) {
  OrderedEviction eviction(order);
  return EvictBeforeTelling(eviction);
}

Result<EvictOutcome> TellingKiller::EvictBeforeTelling(DueEviction& eviction) {
  auto evicted = killer_.EvictBeforeTelling(eviction);
  const Instant now = clock_.Now();
  for (EvictionListener* listener : listeners_) listener->Evicting(eviction.order(), evicted, now);
  return evicted;
}

}  // namespace jettison
