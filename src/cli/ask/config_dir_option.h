#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace jettison {

// Adds --config-dir to a command that reads a configuration. `folder` must outlive the parsing.
void AddConfigDir(CLI::App& command, std::string& folder);

}  // namespace jettison
