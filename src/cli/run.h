#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison run --config FILE...`: the agent. Exit status 0 stopped as asked, 1 it could not start
// or go on, 2 wrong usage or faults in the configuration.
void AddRun(CLI::App& app, int& exit_code);

}  // namespace jettison
