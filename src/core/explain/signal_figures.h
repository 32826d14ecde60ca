#pragma once

#include "core/explanation/explanation.h"
#include "core/model/memory_estimator.h"
#include "core/model/signal.h"
#include "core/model/summary.h"

namespace jettison {

// The figures of the summary that one signal is computed from, and the computation of its available
// amount. Figures that the summary does not have are left out. `estimator` says which page cache is
// subtracted from the node's memory usage.
[[nodiscard]] SignalReading ReadingOf(Signal signal, const Summary& summary,
                                      MemoryEstimator estimator);

}  // namespace jettison
