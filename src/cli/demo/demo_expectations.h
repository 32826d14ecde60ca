#pragma once

#include <string>
#include <vector>

#include "cli/demo/demo_script.h"
#include "cli/terminal/text_line.h"

namespace jettison {

// Something that the demo promised to show.
struct Expectation {
  std::string what;  // a sentence that is true when it held
  bool held = false;
  std::string detail;  // the figures behind it, or what happened instead; may be empty
};

// Checks everything that happened against the kubelet's rules: who was evicted, why and in which
// order, who was left alone, which conditions came and went, and who came back when.
[[nodiscard]] std::vector<Expectation> CheckDemo(const DemoHistory& history);

[[nodiscard]] bool AllHeld(const std::vector<Expectation>& expectations);

// The expectations as a checklist: one line each with a mark, its figures behind it or below, and
// the sum. Nothing is wider than `columns`: what is longer is cut.
[[nodiscard]] std::string ChecklistText(const DemoHistory& history, std::size_t columns,
                                        TextStyle style);

// The same as one JSON object: {"passed", "seconds", "expectations": [{"what", "held", "detail"}]}.
[[nodiscard]] std::string ChecklistJson(const DemoHistory& history);

}  // namespace jettison
