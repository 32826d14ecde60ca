#include "agent/evictions/asking_killer.h"

namespace jettison {

Result<EvictOutcome> AskingKiller::Evict(const EvictionOrder& order) {
  if (!order.soft) return killer_.Evict(order);
  soft_.Ask(order, clock_.Now());
  return EvictOutcome::kAsked;
}

Result<EvictOutcome> NotingKiller::Evict(const EvictionOrder& order) {
  return table_.NoteEvicted(order, clock_.Now()) ? EvictOutcome::kEnding : EvictOutcome::kWasEnding;
}

}  // namespace jettison
