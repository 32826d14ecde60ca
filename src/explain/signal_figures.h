#pragma once

#include "explain/explanation.h"
#include "model/memory_estimator.h"
#include "model/signal.h"
#include "model/summary.h"

namespace jettison {

// The arithmetic of one signal, as the summary has it: which figures were read, and how what is
// available follows. What the summary does not tell is left out. `estimator` says what the node
// takes off its memory usage.
[[nodiscard]] SignalReading ReadingOf(Signal signal, const Summary& summary,
                                      MemoryEstimator estimator);

}  // namespace jettison
