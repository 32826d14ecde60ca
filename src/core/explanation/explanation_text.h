#pragma once

#include <string>

#include "core/explanation/explanation.h"

namespace jettison {

// Explanations for people: plain ASCII text, lines of up to 100 columns unless names are long.
[[nodiscard]] std::string TextOf(const PassExplanation& explanation);
[[nodiscard]] std::string TextOf(const PodExplanation& explanation);
[[nodiscard]] std::string TextOf(const NodeExplanation& explanation);
[[nodiscard]] std::string TextOf(const PodOrder& order);

}  // namespace jettison
