#pragma once

#include "core/evaluate/evaluate.h"
#include "core/pass/recorded_pass.h"

namespace jettison {

// What a recording leaves out of a pass, because it follows from the rest: from what is known
// before the pass, and from evaluating its figures as the agent did.

// The state that a pass leaves for the next one.
[[nodiscard]] EvictionState StateAfter(const RecordedPass& pass);

// Fills in what follows of a report from the pass's policy, state and figures: its observations and
// its evaluation.
void FillInReport(RecordedPass& pass);

}  // namespace jettison
