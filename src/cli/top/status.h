#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison status`: how the node stands. Exit status 0 the agent answered, 1 it did not, 2 wrong
// usage; with --ready 1 where it is not ready; with --exit-code 3 where a condition of the node is
// true.
void AddStatus(CLI::App& app, int& exit_code);

}  // namespace jettison
