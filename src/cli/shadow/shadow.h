#pragma once

#include <CLI/CLI.hpp>

namespace jettison {

// `jettison shadow`: how far a dry run and the kubelet beside it agree, asked of the running agent.
// The exit status goes to `exit_code`.
void AddShadow(CLI::App& app, int& exit_code);

}  // namespace jettison
