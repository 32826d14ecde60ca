#pragma once

#include <string>

namespace CLI {
class App;
}

namespace jettison {

// Adds --html to a command.
void AddReportOption(CLI::App& command, std::string& html);

// Why a path cannot be that of a file beside what is printed; empty: it can.
[[nodiscard]] std::string NotStandardOutput(const std::string& path);

}  // namespace jettison
