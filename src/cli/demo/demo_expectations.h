#pragma once

#include <string>
#include <vector>

#include "cli/demo/demo_history.h"
#include "cli/demo/stage/demo_manifests.h"

namespace jettison {

// Something that the demo promised to show.
struct Expectation {
  std::string what;  // a sentence that is true when it held
  bool held = false;
  std::string detail;  // the figures behind it, or what happened instead; may be empty
};

// Checks everything that happened against the kubelet's rules: who was evicted, why and in which
// order, who was left alone, which conditions came and went, and who came back when.
[[nodiscard]] std::vector<Expectation> CheckDemo(const DemoHistory& history,
                                                 const DemoFacts& facts);

[[nodiscard]] bool AllHeld(const std::vector<Expectation>& expectations);

}  // namespace jettison
