#pragma once

#include <string>
#include <vector>

#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/scenario/scenario.h"

namespace jettison {

// Writes what came of one pass as members of an object: "nodeConditions", "reclaimSignal",
// "reclaimed", "ranking", "events", "evictions"; lists that are empty are left out, except the
// first.
void WriteReport(const CycleReport& report, JsonWriter& json);

// Appends one line of `jettison replay` output: {"name", "steps": [...]} with the fields of the
// conformance vectors; lists that are empty are left out, except nodeConditions.
void WriteReplay(const Scenario& scenario, const std::vector<StepOutcome>& outcomes,
                 std::string& out);

// Appends the line for one image collection: {"name", "removed", "error", "event"}; without an
// event that member is left out.
void WriteReplay(const ImageCollection& collection, const ImageGcOutcome& outcome,
                 std::string& out);

}  // namespace jettison
