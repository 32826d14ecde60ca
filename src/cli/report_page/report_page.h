#pragma once

#include <string>

#include "core/units/result.h"
#include "sim/page/page_data.h"

namespace CLI {
class App;
}

namespace jettison {

// Writes the report as one HTML file. Fails where the file cannot be written, and in a build
// without the page.
[[nodiscard]] Result<void> WriteReportPage(const std::string& path, const PageInput& input);

// Whether this build has the page; an error says that it has not.
[[nodiscard]] Result<void> HasReportPage();

// Adds --html to a command.
void AddReportOption(CLI::App& command, std::string& html);

// Why a path cannot be that of a file beside what is printed; empty: it can.
[[nodiscard]] std::string NotStandardOutput(const std::string& path);

}  // namespace jettison
