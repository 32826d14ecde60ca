#pragma once

#include "agent/edges/soft_evictions.h"
#include "agent/pods/pod_table.h"
#include "core/model/eviction_order.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/node_actions.h"

namespace jettison {

// Asks before a pod goes for a soft threshold; whoever goes for another reason goes at once.
class AskingKiller : public PodKiller {
 public:
  // Everything must outlive this.
  AskingKiller(PodKiller& killer, SoftEvictions& soft, const Clock& clock)
      : killer_(killer), soft_(soft), clock_(clock) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;

 private:
  PodKiller& killer_;
  SoftEvictions& soft_;
  const Clock& clock_;
};

// Notes that a pod of the table was evicted whom somebody else ends, who has been asked.
class NotingKiller : public PodKiller {
 public:
  NotingKiller(PodTable& table, const Clock& clock) : table_(table), clock_(clock) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;

 private:
  PodTable& table_;
  const Clock& clock_;
};

}  // namespace jettison
