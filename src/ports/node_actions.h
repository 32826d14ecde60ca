#pragma once

#include "model/eviction_order.h"
#include "model/summary.h"
#include "units/result.h"

namespace jettison {

// Fails one pod: status Failed, reason Evicted, killed with the order's grace period. Returns as
// soon as the kill is under way; an error says that it could not even begin, or is reported so by
// a replayed scenario.
class PodKiller {
 public:
  virtual ~PodKiller() = default;
  [[nodiscard]] virtual Result<void> Evict(const EvictionOrder& order) = 0;
};

// Frees what nobody uses. An error is logged by the caller; what could be freed is freed.
class NodeReclaimer {
 public:
  virtual ~NodeReclaimer() = default;
  [[nodiscard]] virtual Result<void> DeleteDeadContainers() = 0;
  [[nodiscard]] virtual Result<void> DeleteUnusedImages() = 0;
};

// Reads the node anew, every figure at this moment.
class SummarySource {
 public:
  virtual ~SummarySource() = default;
  [[nodiscard]] virtual Result<Summary> ReadSummary() = 0;
};

}  // namespace jettison
