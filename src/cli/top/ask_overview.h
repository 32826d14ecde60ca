#pragma once

#include <optional>
#include <string>

#include "cli/ask/ask_agent.h"
#include "core/model/signal.h"

namespace jettison {

// The path of the overview whose pods are ranked for that signal; absent: for the nearest.
[[nodiscard]] std::string OverviewPath(std::optional<Signal> signal);

// --signal with a check of its value. `name` stays empty where the option is not given, and must
// outlive the parsing.
void AddSignalOption(CLI::App& command, std::string& name, const std::string& description);

}  // namespace jettison
