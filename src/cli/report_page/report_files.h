#pragma once

#include <cstddef>
#include <string>

#include "core/units/result.h"
#include "sim/page/page_data.h"

namespace jettison {

// Writes the report as one HTML file. Fails where the file cannot be written, and in a build
// without the page.
[[nodiscard]] Result<void> WriteReportPage(const std::string& path, const PageInput& input);

// Writes plots into a folder, which is made where it is missing: a signal of a node each, under the
// policy with that place, and the front of a recommendation. Fails where a file cannot be written.
[[nodiscard]] Result<void> WritePlots(const std::string& folder, const PageInput& input,
                                      std::size_t policy);

// Whether this build has the page; an error says that it has not.
[[nodiscard]] Result<void> HasReportPage();

}  // namespace jettison
