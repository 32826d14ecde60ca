#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison simulate`, which says what policies would have done to recorded nodes.
void AddSimulate(CLI::App& app, int& exit_code);

}  // namespace jettison
