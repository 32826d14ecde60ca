#pragma once

#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/explanation/explanation.h"
#include "core/pass/pass.h"

namespace jettison {

// Everything that a pass decides by. What it refers to must outlive it.
struct DecisionInputs {
  PassPolicy policy;
  const EvictionState& before;
  Instant now;
  Observations seen;
  std::vector<ActivePod> pods;
  const std::optional<PaceInput>& pace;       // as in PassInput
  std::optional<Observations> after_reclaim;  // absent: nothing was read after a reclaim
};

// The decision for these inputs, made by the functions that decide in a pass.
[[nodiscard]] PassDecision DecisionFor(const DecisionInputs& inputs);

// The single changes of the inputs, as small as possible (bytes in whole KiB), with which the pod
// that was evicted would not have been. Each is found by deciding again with the change and with
// what follows from it: what a pod does not use is available on the node, signals that tell of the
// same memory or file system change together, and so do thresholds of which one is made from the
// other. `outcome` is the result of `decision`; `subject` is the pod among several that broke
// storage limits; absent: each of them.
[[nodiscard]] std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs,
                                                  const PassDecision& decision, PassOutcome outcome,
                                                  std::optional<std::size_t> subject);

// How much more the pod at `index` would have to use to be the first in the order of eviction for
// `signal`, or how much less not to be the first; absent: no amount does that.
struct ShiftInputs {
  std::span<const ActivePod> pods;
  std::size_t index = 0;
  Signal signal = Signal::kMemoryAvailable;
  DiskLayout layout;
  Candidates candidates = Candidates::kAll;
  std::int64_t capacity = 0;  // of the signal: the most that a pod can use
};
[[nodiscard]] std::optional<std::int64_t> MoreToBeFirst(const ShiftInputs& inputs);
[[nodiscard]] std::optional<std::int64_t> LessNotToBeFirst(const ShiftInputs& inputs);

}  // namespace jettison
