#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "agent/evictions/eviction_wait.h"
#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"
#include "core/pass/reading_plan.h"

namespace jettison {

// The thresholds that a pass may act for while the eviction for the threshold of its plan waits:
// those of HardBeside which the wait for evicted pods allows, the most urgent one first.
class ThresholdsBeside {
 public:
  // `thresholds` are those of the plan, and must outlive this. A plan that acts for no threshold
  // has none beside it.
  ThresholdsBeside(std::span<const Threshold> thresholds, const EvictionWait& wait,
                   const ReadingPlan& plan);

  // The next one, each of them once; absent: none is left.
  [[nodiscard]] std::optional<std::size_t> Next();

 private:
  std::span<const Threshold> thresholds_;
  ThresholdSet left_;
};

}  // namespace jettison
