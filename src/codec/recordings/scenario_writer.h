#pragma once

#include <string>

#include "core/pass/recorded_pass.h"
#include "core/scenario/scenario.h"

namespace jettison {

// Appends a scenario as the JSON record that `jettison replay` reads (one line, without its end):
// every field that the values carry.
void WriteScenario(const Scenario& scenario, std::string& out);

// Appends a pass that an agent made as such a record: replayed, it gives the same report again.
// Beside the scenario of one step it holds "pass", its number, and "report", what came of it, in
// the form of the replay's answer.
void WriteCycle(const RecordedPass& pass, Profile profile, std::string& out);

// The pass as a scenario of one step.
[[nodiscard]] Scenario ScenarioOf(const RecordedPass& pass, Profile profile);

}  // namespace jettison
