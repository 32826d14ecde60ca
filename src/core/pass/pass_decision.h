#pragma once

#include <optional>
#include <span>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/pass/pass_policy.h"
#include "core/pass/reading_plan.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// What a pass is going to do, by figures of pods that were read as its plan says.
struct PassDecision {
  Decision decision;
  std::optional<EvictionPause> pause;  // the victim does not go now
};

// Chooses, once a pass. `pods` are the active ones joined with their figures; those of the victim's
// containers may still be missing. `pace` as in PassInput.
[[nodiscard]] PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                                      std::span<const ActivePod> pods,
                                      const std::optional<PaceInput>& pace);

}  // namespace jettison
