#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/explanation/explanation.h"
#include "core/pass/pass_policy.h"

namespace jettison {

// The inputs of a decision. The referenced objects must outlive this.
struct DecisionInputs {
  const PassPolicy& policy;
  const EvictionState& before;
  const Observations& observations;
  Instant now;
  std::span<const ActivePod> pods;
  std::optional<PaceInput> pace = std::nullopt;  // as in PassInput
};

// The decision for these inputs, made by the same functions as in a pass.
[[nodiscard]] Decision DecisionFor(const DecisionInputs& inputs);

// The single changes of the inputs that would each have led to another outcome, as small as
// possible (bytes in whole KiB). Each is found by deciding again with the change. `outcome` is the
// result of `decision`; `subject` chooses among several pods that broke storage limits.
[[nodiscard]] std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs,
                                                  const Decision& decision, PassOutcome outcome,
                                                  std::optional<std::size_t> subject);

// How much more the pod at `index` would have to use to be evicted first for `signal`, or how much
// less not to be evicted first; absent: no amount does that.
struct ShiftInputs {
  std::span<const ActivePod> pods;
  std::size_t index = 0;
  Signal signal = Signal::kMemoryAvailable;
  DiskLayout layout;
  std::int64_t capacity = 0;  // of the signal: the most that a pod can use
};
[[nodiscard]] std::optional<std::int64_t> MoreToBeFirst(const ShiftInputs& inputs);
[[nodiscard]] std::optional<std::int64_t> LessNotToBeFirst(const ShiftInputs& inputs);

}  // namespace jettison
