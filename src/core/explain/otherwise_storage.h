#pragma once

#include <optional>
#include <vector>

#include "core/explain/otherwise.h"

namespace jettison {

// OtherwiseFor, where pods broke limits of local storage.
[[nodiscard]] std::vector<Otherwise> OtherwiseForLimits(const DecisionInputs& inputs,
                                                        const Decision& decision,
                                                        std::optional<std::size_t> subject);

// What a decision comes to where a reclaim frees nothing.
[[nodiscard]] PassOutcome OutcomeOf(const Decision& decision);

// The pod that it evicts, or the first of several.
[[nodiscard]] std::optional<std::size_t> FirstToGo(const Decision& decision);

}  // namespace jettison
