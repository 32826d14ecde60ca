#pragma once

#include <string>

#include "core/explanation/explanation.h"

namespace jettison {

// Explanations for programs: one JSON object of apiVersion jettison.io/v1alpha1, kind Explanation
// (Ranking for an order). Its members are described in docs/explain.md. `text` is the same for
// people.
[[nodiscard]] std::string JsonOf(const PassExplanation& explanation);
[[nodiscard]] std::string JsonOf(const PodExplanation& explanation);
[[nodiscard]] std::string JsonOf(const NodeExplanation& explanation);
[[nodiscard]] std::string JsonOf(const PodOrder& order, Instant at);

}  // namespace jettison
