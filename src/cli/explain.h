#pragma once

#include <CLI/CLI.hpp>

namespace jettison {

// `jettison explain [POD|EVICTION]`: why a pod was evicted, where one stands, or what would happen
// now; asked of the running agent, or of a recording (--file). The exit status goes to `exit_code`.
void AddExplain(CLI::App& app, int& exit_code);

}  // namespace jettison
