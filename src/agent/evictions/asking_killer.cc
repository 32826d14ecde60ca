#include "agent/evictions/asking_killer.h"

#include "agent/evictions/node_actions.h"

namespace jettison {

Result<EvictOutcome> AskingKiller::Evict(const EvictionOrder& order) {
  OrderedEviction eviction(order);
  return EvictBeforeTelling(eviction);
}

Result<EvictOutcome> AskingKiller::EvictBeforeTelling(DueEviction& eviction) {
  if (!eviction.signal().soft) return killer_.EvictBeforeTelling(eviction);
  soft_.Ask(eviction.order(), clock_.Now());
  return EvictOutcome::kAsked;
}

Result<EvictOutcome> NotingKiller::Evict(const EvictionOrder& order) {
  if (order.left_to_agent) return TableKiller(table_, clock_).Evict(order);
  return table_.NoteEvicted(order, clock_.Now()) ? EvictOutcome::kEnding : EvictOutcome::kWasEnding;
}

}  // namespace jettison
