#pragma once

#include <optional>

#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// How fast what is available of a signal changes, a second; negative: it shrinks. From the agent's
// own forecast where it has one (memory that shrinks), else over the last half minute of history,
// and only since the last eviction, which changes everything. Absent: too little is known.
[[nodiscard]] std::optional<double> TrendOf(const Snapshot& snapshot, Signal signal);

}  // namespace jettison
