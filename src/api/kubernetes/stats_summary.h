#pragma once

#include <string>

#include "view/snapshot.h"

namespace jettison {

// /stats/summary as the kubelet has it (v1alpha1), with what is measured here: memory, file
// systems, process ids and pressure of the node, memory, disk use and processes of pods. What was
// not measured is absent, never zero. `snapshot.summary` must be set.
[[nodiscard]] std::string StatsSummaryJson(const Snapshot& snapshot);

}  // namespace jettison
