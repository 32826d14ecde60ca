#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/decide/decide.h"
#include "core/explanation/explanation.h"
#include "core/pass/pass_policy.h"

namespace jettison {

// All that a decision is made of; refers to what its owner keeps.
struct DecisionInputs {
  const PassPolicy& policy;
  const EvictionState& before;
  const Observations& observations;
  Instant now;
  std::span<const ActivePod> pods;
};

// What is decided with these inputs, by the functions that decide in a pass.
[[nodiscard]] Decision DecisionFor(const DecisionInputs& inputs);

// What would have to be different for another outcome than `decision`, each change by itself and as
// small as it can be (bytes in whole KiB). Every one was found by deciding anew. `outcome` is what
// came of the decision; of several pods that broke storage limits, `subject` says which to tell of.
[[nodiscard]] std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs,
                                                  const Decision& decision, PassOutcome outcome,
                                                  std::optional<std::size_t> subject);

// How much more (`more`) the pod at `index` would have to use to be the first to go for `signal`,
// or how much less for not being it; absent where no amount does that.
struct ShiftInputs {
  std::span<const ActivePod> pods;
  std::size_t index = 0;
  Signal signal = Signal::kMemoryAvailable;
  DiskLayout layout;
  std::int64_t capacity = 0;  // of the signal: nobody can use more
};
[[nodiscard]] std::optional<std::int64_t> MoreToBeFirst(const ShiftInputs& inputs);
[[nodiscard]] std::optional<std::int64_t> LessNotToBeFirst(const ShiftInputs& inputs);

}  // namespace jettison
