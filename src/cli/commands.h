#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds every command to the program's command line. `exit_code` becomes that of the command that is
// run while the command line is parsed.
void AddCommands(CLI::App& app, int& exit_code);

}  // namespace jettison
