#pragma once

#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/threshold.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// The state that a pass begins with, as a record's member "state":
//
//   {"thresholds": [{"signal", "kind": "hard" or "soft", "overdue", "firstObserved",
//   "kubeletLineCrossed"}],
//    "conditions": [{"type", "status": "True" or "False", "lastObserved"}],
//    "observations": [{"signal", "available", "capacity", "time"}],   of the last pass
//    "lastEviction": {"at", "observations": [{"signal", "available"}]}}
//
// Instants are RFC 3339; what there is none of is left out.
void WriteEvictionState(const EvictionState& state, const std::vector<Threshold>& thresholds,
                        JsonWriter& json);

// Reads it for these thresholds; one that they do not have is passed over. Null or absent: the
// state of a node that was never looked at. Fails with kInvalidArgument and the path of the first
// fault.
[[nodiscard]] Result<EvictionState> ReadEvictionState(const Value& state,
                                                      const std::vector<Threshold>& thresholds);

}  // namespace jettison
