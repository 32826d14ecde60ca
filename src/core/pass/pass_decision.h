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

// The acting thresholds for which a pod may be evicted while the eviction for the threshold `waits`
// has to wait: hard ones on another resource and, where the one that waits is soft, on another
// signal. None is on a disk, because pods' files have to be measured for that, and none is beside a
// disk, because a pass without disk use acts for it anyway.
[[nodiscard]] ThresholdSet OtherHardThresholds(std::span<const Threshold> thresholds,
                                               ThresholdSet acting, std::size_t waits);

// The evaluation that a pass decides by. `pace` is as in PassInput. If a hard threshold on the
// signal of `pace` acts, those on more urgent signals do not, disks aside: evictions for them were
// found to wait. Allocates nothing.
[[nodiscard]] Evaluation ToActOn(const PassPolicy& policy, const Evaluation& evaluation,
                                 const std::optional<PaceInput>& pace);

// Makes the decision of a pass. `pods` are the active pods joined with their figures; the figures
// of the victim's containers may still be missing. `pace` is as in PassInput.
[[nodiscard]] PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                                      std::span<const ActivePod> pods,
                                      const std::optional<PaceInput>& pace);

}  // namespace jettison
