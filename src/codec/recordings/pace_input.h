#pragma once

#include "core/decide/eviction_pace.h"
#include "core/json/json_writer.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// What a pass knew of earlier evictions, as a step's member "pace":
//
//   {"signal", "kubeletDecides", "nextByClock", "ending", "growth", "growthOfPods",
//    "soft": {"reason", "until"}, "fastestPod": {"pod", "growth"}}
//
// Instants are RFC 3339; what there is none of is left out.
void WritePaceInput(const PaceInput& pace, JsonWriter& json);

// Reads it. Fails with kInvalidArgument and every fault.
[[nodiscard]] Result<PaceInput> ReadPaceInput(const Value& pace);

// An eviction that waited, as a report's member "pause": {"reason", "until", "pod"}.
void WritePause(const EvictionPause& pause, JsonWriter& json);

}  // namespace jettison
