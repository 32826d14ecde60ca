#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison import`: recordings out of what others have kept.
void AddImport(CLI::App& app, int& exit_code);

}  // namespace jettison
