#pragma once

#include <cstdint>

#include "core/model/eviction_order.h"
#include "core/model/summary.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Evicts one pod: its status becomes Failed with reason Evicted, and it is killed with the order's
// grace period. Returns as soon as the kill has begun; the outcome says whether it has. An error
// says that the kill could not begin, or that a replayed scenario reports it so.
class PodKiller {
 public:
  virtual ~PodKiller() = default;
  [[nodiscard]] virtual Result<EvictOutcome> Evict(const EvictionOrder& order, Instant now) = 0;
};

// How far a reclaim has come when the call that asks for it returns.
enum class ReclaimProgress : std::uint8_t {
  kDone,      // everything that could be freed is free, and the figures show it
  kUnderWay,  // it continues by itself; a call after its end returns how it ended
};

// Frees dead containers and unused images. In spite of an error, everything that could be freed is
// freed; the caller logs the error. Images whose deletion is requested while dead containers are
// being deleted are deleted after the containers, because these images are unused only then.
class NodeReclaimer {
 public:
  virtual ~NodeReclaimer() = default;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteDeadContainers() = 0;
  [[nodiscard]] virtual Result<ReclaimProgress> DeleteUnusedImages() = 0;
};

// Reads every figure of the node at the moment of the call.
class SummarySource {
 public:
  virtual ~SummarySource() = default;
  [[nodiscard]] virtual Result<Summary> ReadSummary() = 0;
};

}  // namespace jettison
