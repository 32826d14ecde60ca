#pragma once

#include "core/explanation/explanation.h"
#include "core/model/memory_estimator.h"
#include "core/model/signal.h"
#include "core/model/summary.h"

namespace jettison {

// The arithmetic of one signal, as the summary has it: which figures were read, and how what is
// available follows. What the summary does not tell is left out. `estimator` says what the node
// takes off its memory usage.
[[nodiscard]] SignalReading ReadingOf(Signal signal, const Summary& summary,
                                      MemoryEstimator estimator);

}  // namespace jettison
