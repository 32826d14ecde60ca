#pragma once

#include <string>
#include <vector>

#include "cli/terminal/output.h"
#include "core/units/result.h"
#include "sim/page/page_data.h"

namespace CLI {
class App;
}

namespace jettison {

// Writes the report as one HTML file. Fails where the file cannot be written.
[[nodiscard]] Result<void> WriteReportPage(const std::string& path,
                                           const std::vector<SimulationReport>& reports,
                                           const Recommendation* recommendation = nullptr);

// Whether `out` and the page `html` (empty: none) can be written: neither may overwrite what is
// read, and this build must have the page.
void CheckOutputs(const std::string& out, const std::string& html,
                  const std::vector<std::string>& inputs, CommandFaults& faults);

// Adds --html to a command.
void AddReportOption(CLI::App& command, std::string& html);

// Why a path cannot be that of a file beside what is printed; empty: it can.
[[nodiscard]] std::string NotStandardOutput(const std::string& path);

}  // namespace jettison
