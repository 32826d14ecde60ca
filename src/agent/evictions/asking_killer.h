#pragma once

#include "agent/edges/soft_evictions.h"
#include "agent/pods/pod_table.h"
#include "core/model/eviction_order.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/node_actions.h"

namespace jettison {

// Asks before an eviction for a soft threshold. Other evictions are carried out at once.
class AskingKiller : public PodKiller {
 public:
  // Everything must outlive this.
  AskingKiller(PodKiller& killer, SoftEvictions& soft, const Clock& clock)
      : killer_(killer), soft_(soft), clock_(clock) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;
  [[nodiscard]] Result<EvictOutcome> EvictBeforeTelling(DueEviction& eviction) override;

 private:
  PodKiller& killer_;
  SoftEvictions& soft_;
  const Clock& clock_;
};

// Notes the eviction of a pod of the table which the API server, when asked, has granted and
// carries out. What it leaves to the agent is carried out here.
class NotingKiller : public PodKiller {
 public:
  NotingKiller(PodTable& table, const Clock& clock) : table_(table), clock_(clock) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override;

 private:
  PodTable& table_;
  const Clock& clock_;
};

}  // namespace jettison
