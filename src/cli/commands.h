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

// The commands of this folder; their help says what they do and their exit statuses.
void AddCheckConfig(CLI::App& app, int& exit_code);
void AddComplete(CLI::App& app, int& exit_code);
void AddExplain(CLI::App& app, int& exit_code);
void AddInspect(CLI::App& app, int& exit_code);
void AddRank(CLI::App& app, int& exit_code);
void AddReplay(CLI::App& app, int& exit_code);
void AddRun(CLI::App& app, int& exit_code);
// Hidden: what the pods of the demo and of tests run.
void AddWorkload(CLI::App& app, int& exit_code);

}  // namespace jettison
