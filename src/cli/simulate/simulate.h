#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison simulate`, which says what policies would have done to a recorded node.
void AddSimulate(CLI::App& app, int& exit_code);
// Adds `jettison calibrate`, which says how well that can be told from a recording.
void AddCalibrate(CLI::App& app, int& exit_code);

// Adds `jettison diff`, which explains where two policies, or a simulation and what was, differ.
void AddDiff(CLI::App& app, int& exit_code);

}  // namespace jettison
