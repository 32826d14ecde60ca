#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/demo/demo_expectations.h"
#include "cli/terminal/text_line.h"
#include "core/units/duration.h"

namespace jettison {

// The expectations as a checklist: one line each with a mark, its figures behind it or below, and
// the sum. Nothing is wider than `columns`: what is longer is cut.
[[nodiscard]] std::vector<std::string> Checklist(const std::vector<Expectation>& expectations,
                                                 Duration took, std::size_t columns,
                                                 TextStyle style);

// The same as one JSON object: {"passed", "seconds", "expectations": [{"what", "held", "detail"}]}.
[[nodiscard]] std::string ChecklistJson(const std::vector<Expectation>& expectations,
                                        Duration took);

}  // namespace jettison
