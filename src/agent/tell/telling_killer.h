#pragma once

#include <utility>
#include <vector>

#include "agent/edges/eviction_listener.h"
#include "core/model/eviction_order.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/node_actions.h"

namespace jettison {

// Passes each eviction on to the killer and then calls the listeners in their order, so that no
// listener delays the signal.
class TellingKiller : public PodKiller {
 public:
  // Killer, clock and listeners must outlive this.
  TellingKiller(PodKiller& killer, const Clock& clock, std::vector<EvictionListener*> listeners)
      : killer_(killer), clock_(clock), listeners_(std::move(listeners)) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;
  [[nodiscard]] Result<EvictOutcome> EvictBeforeTelling(DueEviction& eviction) override;

 private:
  PodKiller& killer_;
  const Clock& clock_;
  std::vector<EvictionListener*> listeners_;
};

}  // namespace jettison
