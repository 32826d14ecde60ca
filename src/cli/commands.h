#pragma once

#include <string>

namespace CLI {
class App;
}

namespace jettison {

// Adds every command to the program's command line. `exit_code` becomes that of the command that is
// run while the command line is parsed.
void AddCommands(CLI::App& app, int& exit_code);

// The whole program: reads the command line and does what it says. Returns the exit status, 1 also
// where what was written did not reach standard output, and where an exception was left to nobody.
[[nodiscard]] int RunProgram(const std::string& version, int argc, const char* const* argv);

// The commands of this folder; their help says what they do and their exit statuses.
void AddCheckConfig(CLI::App& app, int& exit_code);
void AddComplete(CLI::App& app, int& exit_code);
void AddExplain(CLI::App& app, int& exit_code);
void AddInspect(CLI::App& app, int& exit_code);
void AddRank(CLI::App& app, int& exit_code);
void AddRecommend(CLI::App& app, int& exit_code);
void AddRecord(CLI::App& app, int& exit_code);
void AddReplay(CLI::App& app, int& exit_code);
void AddRun(CLI::App& app, int& exit_code);
void AddShow(CLI::App& app, int& exit_code);
void AddShadow(CLI::App& app, int& exit_code);
// Hidden: what the pods of the demo and of tests run.
void AddWorkload(CLI::App& app, int& exit_code);

}  // namespace jettison
