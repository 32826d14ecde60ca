#pragma once

#include <CLI/CLI.hpp>

namespace jettison {

// Adds `jettison show`: what is in a recording, or all of it in another form.
void AddShow(CLI::App& app, int& exit_code);

}  // namespace jettison
