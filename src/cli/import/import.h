#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison import`, which makes recordings from the figures that a Prometheus has kept.
void AddImport(CLI::App& app, int& exit_code);

}  // namespace jettison
