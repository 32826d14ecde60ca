#pragma once

#include <optional>
#include <vector>

#include "core/explain/otherwise.h"

namespace jettison {

// OtherwiseFor for a decision in which pods broke limits of local storage.
[[nodiscard]] std::vector<Otherwise> OtherwiseForLimits(const DecisionInputs& inputs,
                                                        const Decision& decision,
                                                        std::optional<std::size_t> subject);

// The outcome of a decision if a reclaim frees nothing.
[[nodiscard]] PassOutcome OutcomeOf(const Decision& decision);

// The first pod that the decision evicts; absent: none.
[[nodiscard]] std::optional<std::size_t> FirstToGo(const Decision& decision);

}  // namespace jettison
