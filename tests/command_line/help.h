#pragma once

#include <string>
#include <vector>

namespace jettison {

// What the program says of itself with --help.

// Every command that is shown.
[[nodiscard]] std::vector<std::string> ShownCommands();
// The long options of a command, --help left out: "--output".
[[nodiscard]] std::vector<std::string> ShownOptions(const std::string& command);

// The first group of every match of a pattern in a text; ^ and $ are the ends of its lines.
[[nodiscard]] std::vector<std::string> AllMatches(const std::string& text,
                                                  const std::string& pattern);

}  // namespace jettison
