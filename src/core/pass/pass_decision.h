#pragma once

#include <optional>
#include <span>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/pass/pass_policy.h"
#include "core/pass/reading_plan.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// What a pass is going to do, decided by the pods' figures that its plan asked for.
struct PassDecision {
  Decision decision;
  std::optional<EvictionPause> pause;  // present: the eviction of the victim waits
};

// Makes the decision of a pass. `pods` are the active pods joined with their figures; the figures
// of the victim's containers may still be missing. `pace` is as in PassInput.
[[nodiscard]] PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                                      std::span<const ActivePod> pods,
                                      const std::optional<PaceInput>& pace);

}  // namespace jettison
