#pragma once

#include <cstdint>

#include "core/model/eviction_order.h"
#include "core/model/summary.h"
#include "core/units/result.h"

namespace jettison {

// Fails one pod: status Failed, reason Evicted, killed with the order's grace period. Returns as
// soon as the kill is under way and says whether it is; an error says that it could not even begin,
// or is reported so by a replayed scenario.
class PodKiller {
 public:
  virtual ~PodKiller() = default;
  [[nodiscard]] virtual Result<EvictOutcome> Evict(const EvictionOrder& order) = 0;
};

// How far a reclaim has come when the call that asks for it returns.
enum class ReclaimProgress : std::uint8_t {
  kDone,      // what could be freed is free: the figures show it
  kUnderWay,  // it goes on by itself; ask again when it is over, to be told how it ended
};

// Frees what nobody uses. An error is logged by the caller; what could be freed is freed. Images
// that are asked for while dead containers are being deleted come after those, since what they used
// is unused then.
class NodeReclaimer {
 public:
  virtual ~NodeReclaimer() = default;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteDeadContainers() = 0;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteUnusedImages() = 0;
};

// Reads the node anew, every figure at this moment.
class SummarySource {
 public:
  virtual ~SummarySource() = default;
  [[nodiscard]] virtual Result<Summary> ReadSummary() = 0;
};

}  // namespace jettison
