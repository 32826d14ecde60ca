#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace jettison {

// Adds commands to the program's command line: the one that is named by `word`, the first word of
// the line, or every command where that names none, or asks for the words that may come next. To
// add every command takes two fifths of the instructions of a short command. `exit_code` becomes
// that of the command that is run while the command line is parsed.
void AddCommands(CLI::App& app, int& exit_code, std::string_view word = "");

}  // namespace jettison
