#pragma once

#include <utility>
#include <vector>

#include "agent/edges/eviction_listener.h"
#include "core/model/eviction_order.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/node_actions.h"

namespace jettison {

// Hands each eviction on and then tells the listeners of it, in their order: whatever they put
// together, start or send, the signal is out by then.
class TellingKiller : public PodKiller {
 public:
  // Killer, clock and listeners must outlive this.
  TellingKiller(PodKiller& killer, const Clock& clock, std::vector<EvictionListener*> listeners)
      : killer_(killer), clock_(clock), listeners_(std::move(listeners)) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;

 private:
  PodKiller& killer_;
  const Clock& clock_;
  std::vector<EvictionListener*> listeners_;
};

}  // namespace jettison
