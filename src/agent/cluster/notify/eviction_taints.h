#pragma once

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// The taint that keeps new pods off the node while pods are evicted from it.
class EvictionTaints {
 public:
  virtual ~EvictionTaints() = default;
  // A pod is evicted for this condition: the taint is put on the node at once, whether or not the
  // condition is announced yet. Never waits.
  virtual void Urge(NodeConditionType condition, Instant now) = 0;
  // Whether an eviction need not wait for the taint: it is set, or it cannot be set for now.
  [[nodiscard]] virtual bool IsSettled(NodeConditionType condition) const = 0;
};

}  // namespace jettison
