#pragma once

#include <string>

namespace CLI {
class App;
}

namespace jettison {

// Adds --html and --svg to a command, which have one meaning everywhere.
void AddReportOptions(CLI::App& command, std::string& html, std::string& svg);

}  // namespace jettison
