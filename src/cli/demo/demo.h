#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison demo`: a node of its own under pressure, and what is evicted and why. Exit status 0
// every expectation held, 1 one did not or the node could not be set up, 2 wrong usage, 128 + n
// after signal n.
void AddDemo(CLI::App& app, int& exit_code);

}  // namespace jettison
