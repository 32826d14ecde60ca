#pragma once

#include <CLI/CLI.hpp>

namespace jettison {

// Adds `jettison record`: fetches the recording of a running agent into a file.
void AddRecord(CLI::App& app, int& exit_code);

}  // namespace jettison
