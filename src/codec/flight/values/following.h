#pragma once

#include "core/evaluate/evaluate.h"
#include "core/pass/recorded_pass.h"

namespace jettison {

// What need not be told of a pass, because it follows from the rest: by what is known before it
// and by evaluating its figures as the agent did.

// The state that a pass leaves for the next one.
[[nodiscard]] EvictionState StateAfter(const RecordedPass& pass);

// Fills in what follows of a report from the pass's policy, state and figures: its observations and
// its evaluation.
void FillInReport(RecordedPass& pass);

}  // namespace jettison
