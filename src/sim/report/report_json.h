#pragma once

#include "core/json/json_writer.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// Members of an object that documents about recordings share (docs/simulation.md).

// What a recording says of itself: "node", "from", "to", "passes" and so on.
void PutFacts(const RecordingFacts& facts, JsonWriter& json);
// "calibration".
void PutCalibration(const SimulationReport& report, JsonWriter& json);
// A policy's outcome as an object of its own.
void PutOutcome(const PolicyOutcome& outcome, JsonWriter& json);

}  // namespace jettison
