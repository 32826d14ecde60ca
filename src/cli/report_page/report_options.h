#pragma once

#include <string>

namespace CLI {
class App;
}

namespace jettison {

// Adds --html and --svg to a command, which have one meaning everywhere.
void AddReportOptions(CLI::App& command, std::string& html, std::string& svg);

// Why a path cannot be that of a file beside what is printed; empty: it can.
[[nodiscard]] std::string NotStandardOutput(const std::string& path);

}  // namespace jettison
