#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison top`: the node live on a terminal, or as lines where there is none. Exit status 0 it
// was ended by a key, a signal or --count, 1 the agent could not be reached at the start, 2 wrong
// usage.
void AddTop(CLI::App& app, int& exit_code);

}  // namespace jettison
