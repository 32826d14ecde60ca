#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// The settings of a pass.
struct PassPolicy {
  std::vector<Threshold> thresholds;  // effective: containerfs.* replaced for the layout
  Duration pressure_transition_period = std::chrono::minutes(5);
  std::int64_t max_pod_grace_period_seconds = 0;
  bool local_storage_capacity_isolation = true;
  DiskLayout layout;
  // No pod is evicted for a soft threshold while a hard one of any signal acts: a soft eviction may
  // have to wait for an answer, may be refused, or has to wait for the pods that were evicted last.
  bool hard_first = false;
};

}  // namespace jettison
