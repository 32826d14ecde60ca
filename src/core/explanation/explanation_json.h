#pragma once

#include <string>
#include <string_view>

#include "core/explanation/explanation.h"

namespace jettison {

// Explanations for programs: one JSON object of apiVersion jettison.io/v1alpha1, kind Explanation
// (Ranking for an order), on one line. Its members are described in docs/explain.md. `text` is the
// same for people. `record` is the name of the record that the pass is from; empty: of none.
[[nodiscard]] std::string JsonOf(const PassExplanation& explanation, std::string_view record = {});
[[nodiscard]] std::string JsonOf(const PodExplanation& explanation);
[[nodiscard]] std::string JsonOf(const NodeExplanation& explanation);
[[nodiscard]] std::string JsonOf(const PodOrder& order, Instant at);

}  // namespace jettison
