#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison merge`, which adds up the parts of a fleet's simulation.
void AddMerge(CLI::App& app, int& exit_code);

}  // namespace jettison
