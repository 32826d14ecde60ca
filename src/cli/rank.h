#pragma once

#include <CLI/CLI.hpp>

namespace jettison {

// `jettison rank --signal S`: the order of eviction for a signal, asked of the running agent. The
// exit status goes to `exit_code`.
void AddRank(CLI::App& app, int& exit_code);

}  // namespace jettison
