#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison check-config FILE...`: the policy that these configuration files make together, or
// everything that is wrong with them. Exit status 0 fine (warnings included), 1 a file could not be
// read or the answer written, 2 faults or wrong usage.
void AddCheckConfig(CLI::App& app, int& exit_code);

}  // namespace jettison
