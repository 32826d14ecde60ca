#pragma once

#include "core/model/eviction_order.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Is called for each eviction, right after the pod was told to end. Must not wait.
class EvictionListener {
 public:
  virtual ~EvictionListener() = default;
  // A pod has just been told to end, or could not be told; `outcome` says which.
  virtual void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                        Instant now) = 0;
};

}  // namespace jettison
